/**
 * `PROPERTY_SEED=123` repeats a run that disagreed, or looks elsewhere than a usual run does, and `PROPERTY_RUNS=5000` looks longer.
 * A usual run looks at the same each time, so that what fails in it was broken by the change at hand.
 */
export const firstSeed = Number(process.env['PROPERTY_SEED'] ?? 20_240_229)
export const runs = (usual: number): number => Number(process.env['PROPERTY_RUNS'] ?? usual)

/** More runs are given more time: milliseconds for as many as are usual. */
export const timeFor = (usual: number, ms: number): number => ms * Math.max(1, runs(usual) / usual)
