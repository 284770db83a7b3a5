import tseslint from 'typescript-eslint'

const noDefaultExport = {
  selector: 'ExportDefaultDeclaration, ExportSpecifier[exported.name="default"]',
  message: 'Export it by name.',
}
// A random property that fails once in thousands of runs fails some later change, which has nothing to do with it.
const seededProperty = {
  selector:
    'CallExpression[callee.object.name="fc"][callee.property.name=/^(assert|check|sample)$/]:not(:has(Property[key.name="seed"]))',
  message: 'Give it a seed: firstSeed of spec/support/property-runs.',
}

const beside = { regex: '^(\\.\\./)+(extensions|tools)(/|$)', message: 'Nothing in lib imports it.' }
const part = {
  regex: '^(\\.\\./)+(lib|extensions)/[\\w-]+/',
  message: 'Import the door: lib/<room> or extensions/<name>.',
}
const otherExtension = { regex: '^\\.\\./[\\w-]', message: 'An extension imports no other.' }
const tool = { regex: '^(\\.\\./)+tools(/|$)', message: 'An extension imports no tool.' }
const refuse = (files, patterns) => ({ files, rules: { 'no-restricted-imports': ['error', { patterns }] } })

export default tseslint.config(
  // The example has a compiler and packages of its own.
  { ignores: ['dist/', 'coverage/', '**/.tmp/', 'node_modules/', 'examples/vite/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    // The projects are named, as a project service, which is made for editors, costs a fifth more.
    languageOptions: {
      parserOptions: {
        project: ['tsconfig.json', 'extensions/explorer/page/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      // A Knex builder is a thenable, not a promise: without this a forgotten await of a statement passes.
      '@typescript-eslint/no-floating-promises': ['error', { checkThenables: true }],
      'no-restricted-syntax': ['error', noDefaultExport],
      // Both take a sixth of the linter's time: there are no enums, and hardly a class but errors.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      eqeqeq: 'error',
      'no-duplicate-imports': 'error',
      'no-console': 'error',
    },
  },
  // Features and commands can be deleted: lib imports none of them, and they import each other only by the doors.
  refuse(['lib/**/*.ts', 'migrations/**/*.ts'], [beside]),
  refuse(['extensions/*/*.ts'], [part, otherExtension, tool]),
  refuse(['tools/**/*.ts'], [part]),
  // Without assertions the declarations of the package would lose the names of types, and so what editors show of options.
  {
    files: ['lib/config/option-table.ts'],
    rules: { '@typescript-eslint/no-unnecessary-type-assertion': 'off' },
  },
  // Beside `unknown` a type loses the name of its alias, and nothing else: inferring it costs a compiler a tenth more.
  {
    files: ['extensions/client/content-entry.ts'],
    rules: { '@typescript-eslint/no-redundant-type-constituents': 'off' },
  },
  // Loaded only by a process that loads a project; an import would be awaited.
  {
    files: ['extensions/strapi/{load-config,module-loader}.ts'],
    rules: { '@typescript-eslint/no-require-imports': ['error', { allow: ['^(dotenv|jiti)$'] }] },
  },
  // An optional peer, loaded by those alone that make spans.
  {
    files: ['extensions/observe/open-telemetry.ts'],
    rules: { '@typescript-eslint/no-require-imports': ['error', { allow: ['^@opentelemetry/api$'] }] },
  },
  // An optional peer, loaded by those alone that export metrics.
  {
    files: ['extensions/observe/metrics.ts'],
    rules: { '@typescript-eslint/no-require-imports': ['error', { allow: ['^prom-client$'] }] },
  },
  // An optional peer, loaded by one command alone.
  {
    files: ['tools/command/run-mcp.ts'],
    rules: { '@typescript-eslint/no-require-imports': ['error', { allow: ['/mcp$', '/stdio.js$'] }] },
  },
  { files: ['spec/**/*.ts'], rules: { 'no-restricted-syntax': ['error', noDefaultExport, seededProperty] } },
  // Jest calls the default export of its global setup and teardown.
  {
    files: ['spec/support/*-servers.ts'],
    rules: { 'no-restricted-syntax': ['error', seededProperty] },
  },
  // Markup counts its lines with those of the function around it.
  {
    files: ['extensions/explorer/page/**/*.tsx'],
    rules: { 'max-lines': ['error', 250], 'max-lines-per-function': ['error', 80] },
  },
  {
    files: ['lib/**/*.ts', 'extensions/**/*.ts', 'tools/**/*.ts'],
    rules: { 'max-lines': ['error', 400], 'max-lines-per-function': ['error', 60] },
  },
)
