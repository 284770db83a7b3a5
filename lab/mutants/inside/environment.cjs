const { appendFileSync, writeFileSync } = require('node:fs')
const { join, relative } = require('node:path')
const { TestEnvironment } = require('jest-environment-node')

const root = join(__dirname, '..')

/** Runs take long, and share the machine with others: a busy machine must not fail a test. */
const patience = 5

/** Names the running spec to the switch, there and in child processes, and reports a failed test before its file has ended. */
module.exports = class extends TestEnvironment {
  #spec
  #patient = new WeakSet()

  constructor(config, context) {
    const spec = relative(root, context.testPath)
    process.env.MUTANTS_SPEC = spec
    writeFileSync(join(__dirname, `worker-${String(process.pid)}`), spec)
    super(config, context)
    this.#spec = spec
  }

  #extend(timed) {
    if (!timed.timeout || this.#patient.has(timed)) return
    timed.timeout *= patience
    this.#patient.add(timed)
  }

  handleTestEvent({ name, test, hook, error }, state) {
    if (name === 'run_start') state.testTimeout *= patience
    if (name === 'hook_start') this.#extend(hook)
    if (name === 'test_fn_start') this.#extend(test)
    const [first] = name === 'test_done' ? test.errors.flat() : name === 'hook_failure' ? [error] : []
    if (first === undefined) return
    const why = `${test?.name ?? 'hook'}: ${String(first?.message ?? first).slice(0, 300)}`
    appendFileSync(
      join(__dirname, 'events'),
      `${JSON.stringify({ kind: 'failed', spec: this.#spec, why })}\n`,
    )
  }
}
