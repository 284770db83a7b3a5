// Prints the files of spec/slow that this run of CI has, one a line: a quarter of them by turns, and those whose subject
// changed; with SLOW=all, every file. .ci/slow.json holds the seconds of each file and what it is about; .ci/turn is raised with each landing.
const { execFileSync } = require('node:child_process')
const { readFileSync } = require('node:fs')
const { join } = require('node:path')

const shares = 4
const secondsForChanges = 15
const specs = Object.entries(JSON.parse(readFileSync(join(__dirname, 'slow.json'), 'utf8')))
const turn = Number(readFileSync(join(__dirname, 'turn'), 'utf8')) % shares

/** Each share takes about as long: the longest file goes to the shortest share. Nightly files are in no share. */
function divide() {
  const sums = Array.from({ length: shares }, () => 0)
  const shareOf = new Map()
  const daily = specs.filter(([, { nightly }]) => !nightly)
  for (const [name, { seconds }] of daily.sort(([, one], [, other]) => other.seconds - one.seconds)) {
    const share = sums.indexOf(Math.min(...sums))
    sums[share] += seconds
    shareOf.set(name, share)
  }
  return shareOf
}

function changedFiles() {
  const git = (...words) =>
    execFileSync('git', words, { encoding: 'utf8', cwd: join(__dirname, '..') }).trim()
  const base = git('rev-list', '-1', '--before=4 hours ago', 'HEAD')
  return base === '' ? [] : git('diff', '--name-only', base).split('\n')
}

const shareOf = divide()
const changed = changedFiles()
const isChanged = ({ subject }, name) =>
  changed.some(
    (file) => file === `spec/slow/${name}.spec.ts` || subject.some((folder) => file.startsWith(folder)),
  )

const isNightly = process.env.SLOW === 'all'
const inTurn = specs.filter(([name]) => isNightly || shareOf.get(name) === turn)
const touched = specs.filter(
  ([name, spec]) => !spec.nightly && !inTurn.some(([taken]) => taken === name) && isChanged(spec, name),
)
let left = secondsForChanges
const [taken, leftOut] = [[], []]
for (const [name, spec] of touched.sort(([, one], [, other]) => one.seconds - other.seconds)) {
  left -= spec.seconds
  ;(left >= 0 ? taken : leftOut).push([name, spec])
}

const names = (list) => list.map(([name]) => name).join(' ') || 'none'
process.stderr.write(`Slow specs, share ${turn + 1} of ${shares}: ${names(inTurn)}
Slow specs whose subject changed: ${names(taken)}
Left to their turn or the nightly run: ${names(leftOut)}
`)
process.stdout.write([...inTurn, ...taken].map(([name]) => `spec/slow/${name}.spec.ts\n`).join(''))
