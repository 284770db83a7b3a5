const now = performance.now.bind(performance)
let passed = 0

/** Moves `performance.now` forward, for all that follows in the file. */
export function letPass(seconds: number): void {
  passed += seconds * 1000
  jest.spyOn(performance, 'now').mockImplementation(() => now() + passed)
}
