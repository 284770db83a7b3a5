import { StartError } from './start-error'

/** A project that was made a moment ago has none. */
export const noTypesYet = (): StartError =>
  new StartError(
    "There are no content types in src/api yet: make one in the Content-Type Builder of Strapi's admin panel, then start again.",
  )
