import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(__dirname, '..', '..')
const isLong = (file: string): boolean => file.endsWith('.long.spec.ts')

async function specsOf(
  env: Readonly<Record<string, string>>,
  words: readonly string[] = [],
): Promise<string[]> {
  const others = Object.entries(process.env).filter(([name]) => name !== 'CI' && name !== 'SPECS')
  const jest = [require.resolve('jest/bin/jest'), '--listTests', ...words]
  const { stdout } = await run(process.execPath, jest, {
    cwd: root,
    env: { ...Object.fromEntries(others), ...env },
  })
  return stdout
    .split('\n')
    .filter((line) => line.endsWith('.spec.ts'))
    .sort()
}

describe('which specs a run has', () => {
  it('leaves the long ones to a run of their own, and none to nobody', async () => {
    const [short, long, all] = await Promise.all([
      specsOf({}),
      specsOf({ SPECS: 'long' }),
      specsOf({ SPECS: 'all' }),
    ])
    expect(short.filter(isLong)).toEqual([])
    expect(long.every(isLong) && long.length > 0).toBe(true)
    expect([...short, ...long].sort()).toEqual(all)
    expect(await specsOf({ CI: 'true' })).toEqual(all)
  }, 60_000)

  it('has the long ones of a folder that is named', async () => {
    expect(await specsOf({}, ['spec/cache'])).toEqual(await specsOf({ SPECS: 'all' }, ['spec/cache']))
  }, 60_000)

  it('is refused by a name that means nothing', async () => {
    await expect(specsOf({ SPECS: 'some' })).rejects.toThrow('SPECS knows short, long, all, not some')
  }, 60_000)

  it('is all of them where the whole check runs the command of the README', () => {
    const [, readme = ''] =
      /^npm ci && (npm test) /m.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
    const check = readFileSync(join(root, '.ci', 'run'), 'utf8')
    expect(check).toMatch(/^export CI=true$/m)
    expect(check).toMatch(/^unset .*\bSPECS\b/m)
    expect(check).toContain(`&& ${readme};`)
  })
})
