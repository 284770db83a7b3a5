const compile = {
  jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
}

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/spec/**/*.spec.ts'],
  transform: { '\\.ts$': ['@swc/jest', compile] },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.tmp/'],
  globalSetup: '<rootDir>/spec/support/start-servers.ts',
  globalTeardown: '<rootDir>/spec/support/stop-servers.ts',
  reporters: ['default', '<rootDir>/spec/support/tally-reporter.js'],
  testTimeout: 30_000,
}
