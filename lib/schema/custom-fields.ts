import { type ScalarType, scalarTypes } from './declared'

const notCustom = ['timestamp', 'blocks', 'array'] as const

export type CustomType = Exclude<ScalarType, (typeof notCustom)[number]>

/** Storage types that Strapi accepts for a custom field. */
export const customTypes: readonly CustomType[] = scalarTypes
  .filter((type): type is CustomType => !(notCustom as readonly string[]).includes(type))
  .sort()

export type CustomFieldsOption = Readonly<Record<string, CustomType>>

/** Storage types by the names of custom fields: `plugin::color-picker.color`. */
export type CustomTypes = ReadonlyMap<string, CustomType>

/** An attribute of a custom field that the host did not declare, so that the database is read for its type. */
export interface CustomAttribute {
  readonly uid: string
  readonly attribute: string
  readonly customField: string
  readonly table: string
  readonly column: string
  /** False if the type is unknown. Then the attribute is in no model. */
  readonly isKnown: boolean
}

/** Registered by the servers of these plugins, looked up in each. */
const wellKnown: CustomTypes = new Map<string, CustomType>([
  ['plugin::ckeditor.CKEditor', 'richtext'],
  ['plugin::ckeditor5.CKEditor', 'richtext'],
  ['plugin::color-picker.color', 'string'],
  ['plugin::country-select.country', 'string'],
  ['plugin::encryptable-field.encryptable-field', 'text'],
  ['plugin::field-uuid.uuid', 'uid'],
  ['plugin::geodata.geojson', 'json'],
  ['plugin::google-maps.location-picker', 'json'],
  ['plugin::icon-picker.icon-picker', 'string'],
  ['plugin::lucide-icon-picker.lucide-icon', 'string'],
  ['plugin::multi-select.multi-select', 'json'],
  ['plugin::multiselect-field.multiselect-field', 'string'],
  ['plugin::oembed.oembed', 'json'],
  ['plugin::react-icons.icon', 'string'],
  ['plugin::remote-select.remote-select', 'string'],
  ['plugin::remote-select.searchable-remote-select', 'string'],
  ['plugin::strapi-advanced-uuid.uuid', 'uid'],
  ['plugin::strapi-code-editor-custom-field.code-editor-json', 'json'],
  ['plugin::strapi-code-editor-custom-field.code-editor-text', 'text'],
  ['plugin::strapi-country-select.country-select', 'string'],
  ['plugin::strapi-phone-validator-5.phone', 'string'],
  ['plugin::strapi-plugin-iconhub.iconhub', 'json'],
  ['plugin::table-field.table', 'json'],
  ['plugin::tagsinput.tags', 'json'],
  ['plugin::timezone-select.timezone', 'string'],
  ['plugin::tinymce.tinymce', 'richtext'],
  ['plugin::tiptap-editor.RichText', 'text'],
  ['plugin::video-field.video', 'json'],
])

export const isCustomType = (value: unknown): value is CustomType =>
  (customTypes as readonly unknown[]).includes(value)

/** Types that the host declares, and types that are stored in the database. */
export interface CustomTypeSources {
  readonly declaredTypes: CustomTypes
  readonly storedTypes: CustomTypes
}

/** The list comes last, because the plugin may have another version than the one looked up. */
export const customTypeOf = (
  { declaredTypes, storedTypes }: CustomTypeSources,
  customField: string,
): CustomType | undefined =>
  declaredTypes.get(customField) ?? storedTypes.get(customField) ?? wellKnown.get(customField)

/** Other values are a fault of the options. */
export function customTypesIn(option: unknown): CustomTypes {
  const entries = typeof option === 'object' && option !== null ? Object.entries(option) : []
  return new Map(entries.filter((one): one is [string, CustomType] => isCustomType(one[1])))
}
