import { choice, custom, isListOfTexts } from './option'

export const projectCodeOptions = {
  /**
   * Which types of a Strapi project are not served, as its code is not run. `'policies'`: those whose routes hold
   * policies, may hold some, or are not there. `'all'`: all with code. `'none'`: none.
   * @default 'policies'
   */
  withhold: choice(['policies', 'all', 'none'], {
    meaning:
      'which types of a Strapi project are withheld as [its code](strapi.md#code-of-the-project) is not run: those with policies or without routes, all with code, or none',
  }),
  /**
   * Types that are served in spite of that: `['article']`.
   * @default []
   */
  serve: custom<readonly string[]>([], isListOfTexts, 'is no list of types', {
    remedy: `use ['article']`,
    values: "none; `['article']`",
    meaning: 'types that are served in spite of that',
  }),
} as const
