import { type CustomFieldsOption, customTypes, isCustomType } from '../schema'
import { custom, flag, isListOfTexts, isTable } from './option'

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
  /**
   * What fields of plugins are kept as, where neither the database nor a list of well-known ones tells: `{
   * 'plugin::color-picker.color': 'string' }`.
   * @default {}
   */
  customFields: custom<CustomFieldsOption>(
    {},
    (value) => isTable(value) && Object.values(value).every(isCustomType),
    'is no table of types',
    {
      remedy: `use { 'plugin::color-picker.color': 'string' }, each one of ${customTypes.join(', ')}`,
      values: "none; `{ 'plugin::color-picker.color': 'string' }`",
      meaning: 'what [custom fields](definitions.md#custom-fields) of plugins are kept as',
    },
  ),
  /**
   * Serves files, users and languages by themselves, as Strapi's own clients ask for them, and entries by their number
   * in Strapi's older format.
   * @default false
   */
  strapiRoutes: flag(false, {
    meaning:
      "serves [what Strapi's own clients ask besides](strapi.md#routes-of-strapis-plugins): `/upload/files`, `/users`, `/i18n/locales`",
  }),
} as const
