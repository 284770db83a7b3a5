import { choice } from './option'

/** In which shape an answer shows what an entry leads to. */
export const shapeOptions = {
  /**
   * `'flat'`: a related entry or list is put directly. `'wrapped'`: as `{ data: … }`.
   * @default 'flat'
   */
  relations: choice(['flat', 'wrapped'], {
    changesBodies: true,
    meaning: 'entry or list put directly, or as `{ data: … }`',
  }),
  /**
   * `'wrapped'`: `localizations` are put as `{ data: … }`. `'flat'`: directly.
   * @default 'wrapped'
   */
  localizations: choice(['wrapped', 'flat'], {
    changesBodies: true,
    meaning: 'the same for `localizations`',
  }),
  /**
   * An element of a dynamic zone that is not listed in `on`. `'stub'`: keeps `id` and `__component`. `'omit'`: leaves
   * the list.
   * @default 'stub'
   */
  unlistedZoneElements: choice(['stub', 'omit'], {
    changesBodies: true,
    meaning:
      'a zone element that is not listed in `on` keeps `id` and `__component` only, or leaves the list',
  }),
} as const
