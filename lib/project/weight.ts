/** What a file holds that Strapi runs where a type is read, and the router does not. */
export type Weight =
  | 'nothing'
  /** It may change what is answered. */
  | 'more'
  /** It may refuse who asks, or cannot be told not to. */
  | 'guards'

export const heaviest = (weights: readonly Weight[]): Weight =>
  weights.includes('guards') ? 'guards' : weights.includes('more') ? 'more' : 'nothing'
