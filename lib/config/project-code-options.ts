import { choice, custom, isListOfTexts } from './option'

export const projectCodeOptions = {
  /** By default those whose routes hold policies, or cannot be told not to, or are not there. */
  withhold: choice(['policies', 'all', 'none'], {
    meaning:
      'which types of a Strapi project are withheld as [its code](strapi.md#code-of-the-project) is not run: those with policies or without routes, all with code, or none',
  }),
  serve: custom<readonly string[]>([], isListOfTexts, 'is no list of types', {
    remedy: `use ['article']`,
    values: "none; `['article']`",
    meaning: 'types that are served in spite of that',
  }),
} as const
