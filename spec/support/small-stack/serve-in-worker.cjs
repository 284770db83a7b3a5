require('../../../lab/bench/typescript.cjs')
require('./serve.ts')
