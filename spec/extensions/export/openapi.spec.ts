import { listExports } from '../../../extensions/export'
import { openapi } from '../../../extensions/openapi'
import { onSqlite } from '../../support/databases'
import { library } from '../../support/library'
import { stocked } from '../../support/served'

interface Described {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly get: {
          readonly parameters: readonly { readonly name?: string; readonly $ref?: string }[]
          readonly responses: Readonly<Record<string, { readonly content?: object }>>
        }
      }
    >
  >
}

onSqlite((database) => {
  const { serve } = stocked(database, library, { author: [{ name: 'Ada' }] })

  it('the OpenAPI document has the exports of a role alone', async () => {
    const { get } = serve({
      permissions: { public: { find: '*', export: ['book'] } },
      extensions: [openapi(), listExports()],
    })
    const { paths } = (await get('openapi.json')).body as Described
    expect(Object.keys(paths).filter((path) => path.endsWith('/export'))).toEqual(['/books/export'])
    const operation = paths['/books/export']?.get
    expect(Object.keys(operation?.responses['200']?.content ?? {})).toEqual([
      ...['application/x-ndjson', 'application/json', 'text/csv'],
    ])
    const names = (operation?.parameters ?? []).map(({ name, $ref }) => name ?? $ref ?? '')
    expect(names).toContain('format')
    expect(names.join()).not.toMatch(/pageSize|withCount|after|before/)
  })
})
