import type { LinkField, Uid } from './model'

/** The targets that rows can lead to: files lead back only to the types whose attributes write those rows. */
export const linkedTypes = ({ link, targets }: LinkField): readonly Uid[] =>
  link.via === 'mixed' && link.told !== undefined
    ? targets.filter((uid) => link.told?.some(({ type }) => type === uid))
    : targets
