// For --require: whoever asks for Express gets version 4, the router's own `Router` included.
const Module = require('node:module')

const resolve = Module._resolveFilename
Module._resolveFilename = function resolveExpress(name, ...rest) {
  return resolve.call(this, name === 'express' ? 'express4' : name, ...rest)
}
