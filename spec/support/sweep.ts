/**
 * Of a long list of cases, one in `parts`; with SWEEP=all every case, as in the nightly run. The place moves on,
 * so that of cases which come in groups none is always left out.
 */
const partOf = <T>(cases: readonly T[], parts: number): readonly T[] =>
  cases.filter((_, at) => process.env['SWEEP'] === 'all' || (at + Math.floor(at / parts)) % parts === 0)

export const aThirdOf = <T>(cases: readonly T[]): readonly T[] => partOf(cases, 3)
export const aSixthOf = <T>(cases: readonly T[]): readonly T[] => partOf(cases, 6)
