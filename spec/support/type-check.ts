import { join } from 'node:path'
import ts from 'typescript'

const options: ts.CompilerOptions = {
  strict: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.Preserve,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
}

/** Marks the position at which an editor is asked; it is removed before the compiler reads the text. */
const caret = '‸'

export interface Snippet {
  /** The errors of the compiler, each after its line, with an arrow where it starts. */
  readonly problems: () => readonly string[]
  /** The type that an editor shows for the name behind the caret. */
  readonly hovered: () => string
  /** The completions that an editor offers at the caret. */
  readonly offered: () => readonly string[]
}

interface Range {
  readonly file: string
  readonly from: number
  readonly to: number
}

interface Problem {
  readonly file: string
  readonly at: number
  readonly text: string
}

const isIn = ({ file, from, to }: Range, problem: Problem): boolean =>
  problem.file === file && problem.at >= from && problem.at < to

function readProblem({ file, start = 0, messageText }: ts.Diagnostic): Problem {
  const message = ts.flattenDiagnosticMessageText(messageText, '\n')
  if (file === undefined) return { file: '', at: 0, text: message }
  const [before, after] = [file.text.slice(0, start), file.text.slice(start)]
  const line = `${before.slice(before.lastIndexOf('\n') + 1)}⟶${after.slice(0, after.indexOf('\n'))}`
  return { file: file.fileName, at: start, text: `${line.slice(0, 300)}\n${message}` }
}

/** The snippets of a spec file, as if they stood in its folder. One program checks all of them at the first question. */
const texts = new Map<string, string>()
const ranges: Range[] = []

function readText(name: string): string | undefined {
  return texts.get(name) ?? ts.sys.readFile(name)
}

const host: ts.LanguageServiceHost = {
  getScriptFileNames: () => [...texts.keys()],
  getScriptVersion: () => '1',
  getScriptSnapshot: (name) => {
    const text = readText(name)
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
  },
  getCurrentDirectory: () => __dirname,
  getCompilationSettings: () => options,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (name) => texts.has(name) || ts.sys.fileExists(name),
  readFile: readText,
  directoryExists: (name) => ts.sys.directoryExists(name),
  getDirectories: (name) => ts.sys.getDirectories(name),
}

let editor: ts.LanguageService | undefined
const edit = (): ts.LanguageService => (editor ??= ts.createLanguageService(host))

let found: readonly Problem[] | undefined
function findProblems(): readonly Problem[] {
  const program = edit().getProgram()
  if (program === undefined) throw new Error('the editor has no program')
  return (found ??= ts.getPreEmitDiagnostics(program).map(readProblem))
}

function addSnippet(file: string, marked: string, before = '', after = ''): Snippet {
  if (editor !== undefined) throw new Error('a snippet is added before the first question')
  const head = (texts.get(file) ?? '') + before
  const at = head.length + marked.indexOf(caret)
  const text = marked.replace(caret, '')
  texts.set(file, head + text + after)
  const range = { file, from: head.length, to: head.length + text.length + 1 }
  ranges.push(range)
  return {
    // Errors outside of every snippet, as in imported sources, are errors of each.
    problems: () =>
      findProblems()
        .filter((problem) => isIn(range, problem) || !ranges.some((other) => isIn(other, problem)))
        .map((problem) => problem.text),
    hovered: () => {
      const info = edit().getQuickInfoAtPosition(file, at)
      return ts.displayPartsToString(info?.displayParts).replace(/\s+/g, ' ')
    },
    offered: () =>
      edit()
        .getCompletionsAtPosition(file, at, {})
        ?.entries.map(({ name }) => name) ?? [],
  }
}

let files = 0
const nextFile = (folder: string): string => join(folder, `written-by-a-spec-${String((files += 1))}.ts`)

/** Takes snippets of statements, each in a function of its own behind one head. */
export function statementsIn(folder: string, head: string): (marked: string) => Snippet {
  const file = nextFile(folder)
  texts.set(file, head)
  let count = 0
  return (marked) =>
    addSnippet(file, marked, `export async function run${String((count += 1))}() {\n`, '\n}\n')
}

/** Takes snippets that are modules. */
export const modulesIn =
  (folder: string) =>
  (marked: string): Snippet =>
    addSnippet(nextFile(folder), marked)
