import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import request from 'supertest'
import type { ContentRouterConfig, PermissionTable, SeedContent } from '../../lib'
import { roleTable } from '../../lib/command/role-table'
import { readSchema } from '../../lib/schema'
import { testDatabase } from '../support/databases'
import { examplesIn } from '../support/doc-examples'
import { orderContent, orderTypes } from '../support/orders'
import { roleHeader, stocked } from '../support/served'

const read = (name: string): string => readFileSync(join(__dirname, '../../docs', name), 'utf8')
const page = read('permissions.md')
const details = read('rules.md')
const examples = [...examplesIn(page), ...examplesIn(details)]

/** As the page writes it. */
function configOnPage(): Partial<ContentRouterConfig> {
  const [, code = ''] = /```js\n(contentRouter\(.*?)```/s.exec(page) ?? []
  const taken: Partial<ContentRouterConfig>[] = []
  const contentRouter = (config: Partial<ContentRouterConfig>): unknown => taken.push(config)
  runInNewContext(code, { contentRouter, contentTypes: orderTypes, database: null })
  const [{ role, permissions } = {}] = taken
  if (role === undefined || permissions === undefined) throw new Error('the page shows no rules')
  return { role, permissions }
}

interface Named {
  readonly $ref: string
}

describe('docs/permissions.md and docs/rules.md', () => {
  const withIds = ([type, entries]: readonly [string, unknown]): readonly [string, unknown] => [
    type,
    type.startsWith('$')
      ? entries
      : (entries as readonly Named[]).map((entry) => ({ ...entry, documentId: entry.$ref })),
  ]
  const named = Object.fromEntries(Object.entries(orderContent).map(withIds)) as SeedContent
  const { serve } = stocked(testDatabase('sqlite'), orderTypes, named)

  it('shows what the command prints', () => {
    const [, shown = ''] = /```text\n(The role [^`]*)\n```/.exec(details) ?? []
    const { permissions } = configOnPage()
    expect(shown).toBe(
      roleTable(readSchema(orderTypes), {
        table: permissions as PermissionTable,
        role: 'member',
        drafts: 'granted',
      }),
    )
  })

  it('has examples', () => {
    expect(examplesIn(page).length).toBeGreaterThan(2)
    expect(examplesIn(details).length).toBeGreaterThan(2)
  })

  it.each(examples.map((example) => [example.request.path, example] as const))('%s', async (_, example) => {
    const { app } = serve(configOnPage())
    const { path, headers } = example.request
    const answered = await request(app)
      .get(path)
      .set({ [roleHeader]: 'none', ...headers })
    expect(answered.body).toEqual(example.answer)
  })
})
