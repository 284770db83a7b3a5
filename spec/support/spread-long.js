const { default: Sequencer } = require('@jest/test-sequencer')

const isLong = ({ path }) => path.endsWith('.long.spec.ts')

/**
 * Where nothing is known of earlier runs the smallest files are run last, and some that take minutes are small: one core would
 * wait for the other's last. They are run in the middle.
 */
module.exports = class SpreadLong extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests)
    const half = Math.floor(sorted.length / 2)
    const later = sorted.slice(half)
    return [...sorted.slice(0, half), ...later.filter(isLong), ...later.filter((test) => !isLong(test))]
  }
}
