import { custom, isListOfTexts } from './option'

/** How definitions are read: what `migrate` and `seed` have to know as well. */
export const definitionOptions = {
  /**
   * Attributes that are private in every type and component, as `options.privateAttributes` of every definition would
   * make them: `['createdAt']`.
   * @default []
   */
  privateAttributes: custom<readonly string[]>([], isListOfTexts, 'is no list of names', {
    remedy: `use ['createdAt']`,
    values: "none; `['createdAt', 'updatedAt']`",
    meaning: 'attributes that are [private](definitions.md#private-attributes) in every type and component',
  }),
} as const
