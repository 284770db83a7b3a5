require('../../../bench/typescript.cjs')
require('./serve.ts')
