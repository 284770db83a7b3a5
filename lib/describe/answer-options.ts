import type { AddedQueries, FilledOptions } from '../config'

/** On which the form of answers depends, and what may be asked. */
export type AnswerOptions = Pick<
  FilledOptions,
  | 'relations'
  | 'localizations'
  | 'unlistedZoneElements'
  | 'textMatching'
  | 'loadingArtefacts'
  | 'nestedPagination'
> &
  Required<AddedQueries>
