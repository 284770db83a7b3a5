const { relative } = require('node:path')

/** `(needs Chromium: …)`, `(mysql is not part of this run)`: where a spec is skipped, its title says why. */
const reasonsOf = ({ ancestorTitles, title }) =>
  [...ancestorTitles, title].flatMap(
    (text) => /\(([^()]*(?:needs|not part of this run|not found)[^()]*)\)$/.exec(text)?.[1] ?? [],
  )

/** The last line of a run, for whoever counts: `12 passed, 0 failed`. A file that cannot be read or run counts as one failure. */
module.exports = class TallyReporter {
  constructor({ rootDir }) {
    this.root = rootDir
  }

  /** Jest prints no line for a file of which every test is skipped. */
  onTestResult(_test, { testFilePath, testResults, numPassingTests, numFailingTests, testExecError }) {
    if (testExecError || numPassingTests + numFailingTests > 0) return
    const reasons = new Set(testResults.flatMap(reasonsOf))
    if (reasons.size > 0)
      process.stdout.write(`SKIP ${relative(this.root, testFilePath)}: ${[...reasons].join('; ')}\n`)
  }

  onRunComplete(_contexts, { numPassedTests, numFailedTests, numRuntimeErrorTestSuites }) {
    const failed = numFailedTests + numRuntimeErrorTestSuites
    process.stdout.write(`${numPassedTests} passed, ${failed} failed\n`)
  }
}
