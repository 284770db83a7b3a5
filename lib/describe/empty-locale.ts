import type { AnswerOptions } from './answer-options'
import type { ShownType } from './shown-types'

/** Strapi shows the empty locale of what is not localized, where some links lead to it. */
export const isEmptyLocaleShown = (
  { model }: ShownType,
  { loadingArtefacts }: Pick<AnswerOptions, 'loadingArtefacts'>,
): boolean =>
  loadingArtefacts && model.kind !== 'component' && !model.columns.has('locale') && !model.hidesLocale
