// A server process of the bench: serves one side, and tells what it has used when it is asked.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { limit } from './limit'
import { answerQuestions } from './measure/facts'
import { countStatements } from './measure/statements'
import type { Given, Side, SideName } from './side'
import { expressMemory, httpMemory } from './sides/memory'
import { checkoutBefore, ours } from './sides/ours'
import { plainKnex } from './sides/plain-knex'

const sides: Readonly<Record<SideName, (given: Given) => Side>> = {
  ours: ours('ours'),
  strict: ours('strict'),
  aged: ours('aged'),
  cold: ours('cold'),
  patient: ours('patient'),
  unlimited: ours('unlimited'),
  before: ours('before'),
  knex: plainKnex,
  limit,
  memory: expressMemory,
  http: httpMemory,
}

async function serve(given: Given): Promise<void> {
  // Counting is not free: what the side before sends is counted as well, or it would seem faster by what counting costs.
  countStatements(given.side === 'before' ? checkoutBefore() : join(__dirname, '..', '..'))
  const { listener, remember } = sides[given.side](given)
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  answerQuestions(server, remember)
}

void serve(JSON.parse(process.argv[2] ?? '{}') as Given)
