const { availableParallelism } = require('node:os')
const { pattern } = require('./spec/support/which-specs')

const compile = {
  jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
}

// One core more than jest takes by itself: much of a spec's time is a database's. More would crowd the shared servers.
const maxWorkers = Math.min(4, availableParallelism())

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/spec/**/*.spec.ts', ...pattern],
  // What is asked there has to be installed first: `npm run clients`.
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(process.env.CLIENTS === undefined ? ['<rootDir>/spec/clients/'] : []),
  ],
  transform: { '\\.ts$': ['@swc/jest', compile] },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.tmp/'],
  setupFiles: ['<rootDir>/spec/support/fresh-connections.ts'],
  globalSetup: '<rootDir>/spec/support/start-servers.ts',
  globalTeardown: '<rootDir>/spec/support/stop-servers.ts',
  reporters: ['default', '<rootDir>/spec/support/tally-reporter.js'],
  maxWorkers,
  testSequencer: '<rootDir>/spec/support/spread-long.js',
  testTimeout: 30_000,
}
