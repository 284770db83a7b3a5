import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onSqlite } from '../support/databases'
import { projectFolder } from '../support/project-folder'
import { ended } from '../support/started'
import { addTypes, dotEnvFor, standOf, strapiFiles } from '../support/strapi-folder'

const says = async (cwd: string, ...words: readonly string[]): Promise<string> =>
  (await ended(words, { cwd })).said

describe('content-router types where no source is named', () => {
  const { path, write } = projectFolder()
  const made = `import { connect } from '../src/connect'\nmodule.exports = () => ({ connection: connect() })`
  const files: Readonly<Record<string, string>> = { ...strapiFiles, 'config/database.js': made }
  const cms = join(path, 'apps', 'cms')
  beforeAll(() => {
    write(Object.fromEntries(Object.entries(files).map(([name, text]) => [`apps/cms/${name}`, text])))
    addTypes(cms)
  })

  it('are those of the Strapi project, wherever its database is', async () => {
    const before = standOf(cms)
    const { code, said } = await ended(['types'], { cwd: cms })
    expect(code).toBe(0)
    expect(said).toMatch(/^\/\/ Made by: content-router types\n/)
    expect(said).toContain('articles: {')
    expect(standOf(cms)).toEqual(before)
    expect(await says(path, 'types', '--content-types', join(cms, 'src'), '--strapi5')).toContain(
      said.split('\n').slice(3).join('\n'),
    )
  })

  it('are written and checked as they are with a config', async () => {
    const out = ['types', '--out', 'content.ts']
    expect(await says(cms, ...out)).toBe('content.ts is written.\n')
    expect((await ended([...out, '--check'], { cwd: cms })).code).toBe(0)
    writeFileSync(join(cms, 'content.ts'), '')
    expect((await ended([...out, '--check'], { cwd: cms })).code).toBe(1)
    rmSync(join(cms, 'content.ts'))
  })

  it('are found from a folder above and from one below, and what is written holds nothing else', async () => {
    expect(await says(join(cms, 'src', 'api'), 'types')).toContain('a Strapi project in ../..')
    expect(await says(path, 'types', '--out', 'content.ts')).toBe(
      'Nothing is here, and a Strapi project in apps/cms.\ncontent.ts is written.\n',
    )
    expect(readFileSync(join(path, 'content.ts'), 'utf8')).toMatch(/^\/\/ Made by[^]*articles: \{/)
  })

  it('are not chosen among several projects', async () => {
    write({ 'apps/old/package.json': String(strapiFiles['package.json']) })
    const { code, said } = await ended(['types'], { cwd: path })
    rmSync(join(path, 'apps', 'old'), { recursive: true })
    expect(code).toBe(1)
    expect(said).toBe('There are several Strapi projects here. Choose one:\n  cd apps/cms\n  cd apps/old\n')
  })

  it('are asked for without a role, whose rights the database of the project holds', async () => {
    const { code, said } = await ended(['types', '--role', 'public'], { cwd: cms })
    expect(code).toBe(1)
    expect(said).toContain('ask without --role')
  })

  it('are looked for in a config first, and making tables in nothing but that', async () => {
    expect(await says(cms, 'migrate')).toContain('no --config given')
    const config = 'module.exports = { contentTypes: [], database: {} }'
    write({ 'apps/cms/content-router.config.cjs': config })
    const said = await says(cms, 'types')
    rmSync(join(cms, 'content-router.config.cjs'))
    expect(said).not.toContain('articles')
  })

  it('are described as OpenAPI likewise', async () => {
    const document = JSON.parse(await says(cms, 'openapi')) as { paths: object }
    expect(Object.keys(document.paths)).toContain('/articles')
  })

  it('are compared with no database that only running the project would tell', async () => {
    const { code, said } = await ended(['check'], { cwd: cms })
    expect(code).toBe(1)
    expect(said).toContain('config/database.js: connection is told by running it alone')
  })
})

onSqlite((database) => {
  describe('content-router check where no source is named', () => {
    const world = database.restored()
    const { path, write } = projectFolder(strapiFiles)

    it('compares the definitions of the Strapi project with its database, and leaves both alone', async () => {
      addTypes(path)
      write({ '.env': dotEnvFor(world.config) })
      if (database.name === 'sqlite') {
        mkdirSync(join(path, '.tmp'))
        const { filename } = world.config.connection as { readonly filename: string }
        copyFileSync(filename, join(path, '.tmp', 'data.db'))
      }
      const before = standOf(path)
      const { code, said } = await ended(['check'], { cwd: path })
      expect(said).toContain('The tables hold what the definitions ask for.')
      expect(code).toBe(0)
      expect(standOf(path)).toEqual(before)
    }, 30_000)
  })
})
