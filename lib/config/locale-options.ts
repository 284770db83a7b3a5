import { custom, isListOfTexts, isTable, isText } from './option'

/** For each of them it is asked whether the document is there in one before it. */
export const mostFallbacks = 10

const isChain = (value: unknown): boolean =>
  isListOfTexts(value) && (value as readonly string[]).length <= mostFallbacks

const areChains = (value: unknown): boolean => isTable(value) && Object.values(value).every(isChain)

/** In which locale entries are shown. */
export const localeOptions = {
  /** The locale of requests that name none. Without it: Strapi's own setting where its table is there, else `en`. */
  defaultLocale: custom<string | undefined>(undefined, isText, 'is no code of a locale', {
    changesBodies: true,
    values: "Strapi's setting where it is there, else `'en'`; a code",
    meaning: 'the locale of requests that name none',
  }),
  /**
   * In which other locales a document is shown that the asked one lacks, by the asked one; `*` for all that are not
   * named: `{ 'de-AT': ['de', 'en'], '*': ['en'] }`.
   * @default {}
   */
  localeFallback: custom<Readonly<Record<string, readonly string[]>>>(
    {},
    areChains,
    'is no table of lists of locales',
    {
      remedy: "use { 'de-AT': ['de', 'en'], '*': ['en'] }",
      changesBodies: true,
      values: "none; `{ 'de-AT': ['de', 'en'], '*': ['en'] }`",
      meaning:
        'in which [other locales](queries.md#another-locale-where-one-is-missing) a document is shown that the asked one lacks',
    },
  ),
} as const
