/** The last line of a run, for whoever counts: `12 passed, 0 failed`. A file that cannot be read or run counts as one failure. */
module.exports = class TallyReporter {
  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    const failed = numFailedTests + numRuntimeErrorTestSuites
    process.stdout.write(`${numPassedTests} passed, ${failed} failed\n`)
  }
}
