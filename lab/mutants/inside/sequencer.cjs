const { join, relative } = require('node:path')
const { readFileSync } = require('node:fs')
const { default: Sequencer } = require('@jest/test-sequencer')

const root = join(__dirname, '..')

/** Keeps the order of the tool: Jest would run the longest first. */
module.exports = class extends Sequencer {
  sort(tests) {
    const order = readFileSync(join(__dirname, 'order'), 'utf8').split('\n')
    const placeOf = ({ path }) => order.indexOf(relative(root, path))
    return [...tests].sort((one, other) => placeOf(one) - placeOf(other))
  }
}
