const { appendFileSync } = require('node:fs')
const { join, relative } = require('node:path')

const root = join(__dirname, '..')

const write = (kind, { path }, why) => {
  const event = { kind, spec: relative(root, path), at: Date.now(), why }
  appendFileSync(join(__dirname, 'events'), `${JSON.stringify(event)}\n`)
}

/** Events are written as they happen: a run that is stopped early has no report of its own. */
module.exports = class {
  onTestFileStart(test) {
    write('started', test)
  }

  onTestFileResult(test, { numFailingTests, testExecError }) {
    if (numFailingTests > 0 || testExecError) write('failed', test, testExecError?.message)
    write('ended', test)
  }
}
