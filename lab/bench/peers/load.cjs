const { createRequire } = require('node:module')
const { join } = require('node:path')

/** From the folder that the bench installed it in. */
exports.folder = join(__dirname, '..', '..', '..', '.tmp', 'bench', 'peers')
exports.load = createRequire(`${exports.folder}/`)
