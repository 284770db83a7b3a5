import { custom, isListOfTexts } from './option'

export const projectCodeOptions = {
  /**
   * Types of a Strapi project that are served although their reads run through code of the project: `['article']`, or
   * `'*'` for all.
   * @default []
   */
  serve: custom<readonly string[] | '*'>(
    [],
    (given) => given === '*' || isListOfTexts(given),
    'is no list of types',
    {
      remedy: `use ['article'] or '*'`,
      values: "none; `['article']`; `'*'`",
      meaning:
        'types of a Strapi project that are served although [code of the project](strapi.md#code-of-the-project) runs where Strapi reads them',
    },
  ),
} as const
