import { type CustomFieldsOption, customTypes, isCustomType } from '../schema'
import { choice, custom, isListOfTexts, isTable } from './option'

/** How definitions are read: what `migrate` and `seed` have to know as well. */
export const definitionOptions = {
  /** Whether what Strapi starts with is refused, or costs no more than its attribute and a warning. */
  definitions: choice(['strict', 'strapi'], {
    meaning:
      'whether all that is wrong with definitions is refused, or, where Strapi starts with it, [costs its attribute](definitions.md#as-strapi-reads-them) and a warning',
  }),
  /** As `options.privateAttributes` of every definition would. */
  privateAttributes: custom<readonly string[]>([], isListOfTexts, 'is no list of names', {
    remedy: `use ['createdAt']`,
    values: "none; `['createdAt', 'updatedAt']`",
    meaning: 'attributes that are [private](definitions.md#private-attributes) in every type and component',
  }),
  /** What fields of plugins are kept as, where neither the database nor a list of well-known ones tells. */
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
} as const
