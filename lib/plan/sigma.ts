/**
 * At the end of a word a Greek sigma has a form of its own, which ignoring case takes for the other one. To replace it in
 * long texts takes a quarter of the time, so that is done only where it is looked for.
 */
export const hasSigma = (wanted: string): boolean => /[Σσς]/u.test(wanted)
