const compile = {
  jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
}

/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/spec/**/*.spec.ts'],
  // `npm run clients` installs what these specs need.
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(process.env.CLIENTS === undefined ? ['<rootDir>/spec/slow/clients/'] : []),
  ],
  // The sample site is a folder of ES modules, which Jest runs as CommonJS, on the sources of the library.
  transform: {
    '\\.ts$': ['@swc/jest', compile],
    '/examples/sample/\\w+\\.mjs$': ['@swc/jest', { ...compile, jsc: { target: 'es2022' } }],
  },
  moduleNameMapper: {
    '^express-content-router$': '<rootDir>/lib/index.ts',
    '^express-content-router/(\\w+)$': '<rootDir>/extensions/$1/index.ts',
  },
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.tmp/'],
  setupFiles: ['<rootDir>/spec/support/fresh-connections.ts'],
  globalSetup: '<rootDir>/spec/support/start-servers.ts',
  globalTeardown: '<rootDir>/spec/support/stop-servers.ts',
  reporters: ['default', '<rootDir>/spec/support/tally-reporter.js'],
  testSequencer: '<rootDir>/spec/support/longest-first.cjs',
  maxWorkers: 2,
  testTimeout: 30_000,
  // Routers without a logger write to the console.
  silent: true,
}
