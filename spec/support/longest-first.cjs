const { sep } = require('node:path')
const { default: Sequencer } = require('@jest/test-sequencer')
const slow = require('../../.ci/slow.json')

/** The replays of spec/corpus take longest, then slow specs. Of the others the largest file is a fair guess. */
const weightOf = ({ path }) => {
  if (path.includes(`${sep}corpus${sep}`)) return 1000
  const name = path.split(`${sep}slow${sep}`)[1]?.replace('.spec.ts', '').replaceAll(sep, '/')
  return slow[name]?.seconds ?? 0
}

module.exports = class extends Sequencer {
  sort(tests) {
    return [...super.sort(tests)].sort((one, other) => weightOf(other) - weightOf(one))
  }
}
