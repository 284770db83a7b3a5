// Decides at each instrumented place whether the mutant is active. Files carry the state, as some specs start processes with an
// environment of their own.
const { appendFileSync, readFileSync } = require('node:fs')
const { join } = require('node:path')

const read = (name) => {
  try {
    return readFileSync(join(__dirname, name), 'utf8')
  } catch {
    return ''
  }
}

const active = Number(read('active'))
const spec = process.env.MUTANTS_SPEC ?? read(`worker-${String(process.ppid)}`)
const reached = new Set()

// Reaching a place counts only if the mutant computes another value there: no spec can kill it otherwise.
function choose(number, original, mutated) {
  if (active === 0 && !reached.has(number) && !Object.is(original, mutated)) {
    reached.add(number)
    appendFileSync(join(__dirname, 'reached'), `${String(number)} ${spec}\n`)
  }
  return number === active ? mutated : original
}

exports.value = choose
exports.truth = (number, negated) => choose(number, negated, !negated)
exports.truthy = (number, value) => choose(number, value, value || true)
exports.falsy = (number, value) => choose(number, value, value && false)
exports.compare = (number, a, b, original, mutated) => choose(number, original(a, b), mutated(a, b))
