"""States of a repository that a restore must bring back, and ways to wreck them, as the commands a person would type.

Each begins in a repository with one committed file `f` on branch `main`.
"""

import subprocess
from pathlib import Path

from core.git_oracle import ENVIRONMENT


def do(root: Path, script: str, *arguments: str | Path) -> bytes:
    """Run commands in a folder and return what they print; any that fails is a failure."""
    done = subprocess.run(
        ["bash", "-euc", script, "bash", *map(str, arguments)],
        cwd=root,
        env=ENVIRONMENT | {"GIT_ALLOW_PROTOCOL": "file"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


MESS = r"""
printf '*.log\nbuild/\n' >.gitignore; mkdir -p d e/deep build; echo 1 >d/a; echo 2 >d/b; echo del >del; echo mode >mode
ln -s f link; git add -A; git commit -qm two
git checkout -qb side; echo s >s; git add s; git commit -qm side; git checkout -q main
echo stashed >>f; git stash -q
printf '#!/bin/sh\nexit 0\n' >.git/hooks/pre-commit; chmod 755 .git/hooks/pre-commit
echo staged >f; git add f; echo working >f; git mv d/a d/moved; rm del; chmod +x mode; rm link; ln -s d/b link
echo new >e/new; echo ignored >x.log; echo built >build/out; printf 'a\r\nb\n' >crlf; mkdir -p empty/er
"""

STATES = {
    "everything-at-once": MESS,
    "clean": "true",
    "staged-and-unstaged": "echo staged >f; git add f; echo unstaged >f; echo only-staged >g; git add g; rm g",
    "deleted": "echo g >g; echo h >h; git add .; git commit -qm gh; git rm -q g; rm h",
    "renamed": "mkdir d; git mv f d/f; echo more >>d/f",
    "modes": """
        for m in 600 640 444 755 700 664 4755; do echo $m >m$m; chmod $m m$m; done
        git add m600 m444 m755; git commit -qm m
        mkdir open closed empty700; echo 1 >open/x; echo 2 >closed/x; chmod 755 open; chmod 700 closed empty700
        chmod +x m444; echo r >ro; mkdir readonly; mv ro readonly; chmod 555 readonly; chmod 711 .""",
    "links": """
        mkdir d; echo x >d/x; ln -s nowhere dangling; ln -s loop loop; ln -s d to-folder; ln -s ../.. out
        git add to-folder""",
    "file-became-folder": """
        echo g >g; mkdir d; echo x >d/x; git add .; git commit -qm g; rm -r g d; mkdir g; echo in >g/in
        echo now >d""",
    "link-became-folder": """
        mkdir d; echo x >d/x; ln -s d l; git add .; git commit -qm l; rm l; mkdir l; echo y >l/y; rm -r d
        ln -s l d""",
    "ignored": """
        printf 'ign/\n*.log\n!keep.log\n' >.gitignore; mkdir ign; echo i >ign/i; echo t >ign/t
        git add -f ign/t; echo k >keep.log; echo l >l.log""",
    "empty-folders": "mkdir -p a/b/c z; git clean -nd >/dev/null",
    "names": r"""
        for n in $'a\nb' 'q"u' $'t\tb' $'m\xc2\x85n' 'x -> y' ' lead' 'trail ' '-rf' ':(top)z' ':!f' '*glob' 'b\s' \
            $'caf\351.txt' $'\303\251' $'e\314\201' 'README' 'readme' $'\r' '{a,b}' '~' '$HOME' '%s' '.gitt' '[id]'
        do printf 1 >"./$n"; done
        mkdir -- '-d' $'n\nl' $'\377'; echo 1 >./-d/x; echo 2 >$'n\nl/y'; echo 3 >$'\377/\376'
        git add -- $'./caf\351.txt' './*glob' ./-rf; git --literal-pathspecs add -- ':(top)z'; echo 2 >./-rf""",
    "intent-to-add": "echo n >n; git add -N n; : >empty; git add -N empty; git add f",
    "assume-unchanged": "echo g >g; git add g; git commit -qm g; git update-index --assume-unchanged g; echo hidden >g",
    "skip-worktree": "echo g >g; git add g; git commit -qm g; git update-index --skip-worktree g; echo hidden >g",
    "skip-worktree-absent": "echo g >g; git add g; git commit -qm g; git update-index --skip-worktree g; rm g",
    "merge-in-progress": """
        git checkout -qb o; echo o >o; git add o; git commit -qm o; git checkout -q main; echo m >m
        git add m; git commit -qm m; git merge -q --no-commit --no-ff o; echo more >>o""",
    "octopus-in-progress": """
        for b in x y; do git checkout -qb $b main; echo $b >$b; git add $b; git commit -qm $b; done
        git checkout -q main; echo m >m; git add m; git commit -qm m; git merge -q --no-commit x y >/dev/null
        git branch -q -D x""",
    "unborn": "git checkout -q --orphan fresh; echo 1 >a; git add a; echo 2 >a",
    "unborn-nothing-staged": "git checkout -q --orphan fresh; git rm -rqf .; echo loose >loose",
    "detached": "echo 2 >g; git add g; git commit -qm g; git checkout -q --detach HEAD~1; echo d >d; git add d",
    "detached-beside-every-branch": "git checkout -q --detach; git commit -q --allow-empty -m alone; echo x >x",
    "sparse": """
        mkdir -p in out; echo a >in/a; echo b >out/b; git add .; git commit -qm t
        git sparse-checkout init --cone --no-sparse-index; git sparse-checkout set in; echo edit >in/a""",
    "submodule": """
        git init -q -b main ../part; (cd ../part; echo 1 >x; git add x; git commit -qm s)
        git submodule -q add ../part sm; git commit -qm sm; echo DIRTY >sm/x; echo new >sm/y""",
    "clean-submodule": """
        git init -q -b main ../part; (cd ../part; echo 1 >x; git add x; git commit -qm s)
        git submodule -q add ../part sm; git commit -qm sm; echo edit >f""",
    "nested-repository": """
        git init -q sub; (cd sub; echo x >x; git add x; git commit -qm s; echo dirty >x); git init -q none
        echo v2 >f""",
    "line-ends": r"""
        printf '* text=auto\n' >.gitattributes; printf 'a\r\nb\r\n' >crlf; printf 'a\nb\n' >lf
        printf 'a\r\nb\n' >mixed; git add . 2>/dev/null; git commit -qm l; printf 'c\r\n' >>crlf""",
    "autocrlf": r"""
        git config core.autocrlf true; printf 'a\r\nb\r\n' >crlf; git add . 2>/dev/null; git commit -qm l
        printf 'x\r\n' >new; git add new 2>/dev/null""",
    "filter": """
        git config filter.up.clean 'tr a-z A-Z'; git config filter.up.smudge 'tr A-Z a-z'
        echo '*.up filter=up' >.gitattributes; echo abc >x.up; git add .; git commit -qm up""",
    "large": """
        head -c 30000000 /dev/urandom >large; head -c 5000000 /dev/zero >zeros; git add zeros
        truncate -s 20M sparse-file""",
    "stash-hooks-worktree": """
        echo s >>f; git stash -q; echo u >u; git stash -q -u; printf '#!/bin/sh\n' >.git/hooks/post-checkout
        chmod 700 .git/hooks/post-checkout
        git worktree add -q ../second -b second; echo w >../second/w; git -C ../second add w; echo n >n""",
    "split-index": "git config core.splitIndex true; git update-index --split-index; echo g >g; git add g",
    "index-version-4": "git update-index --index-version 4; mkdir d; echo g >d/g; git add d; echo h >d/h",
    "packed": "git branch a/b; git tag -a -m t t; git pack-refs --all; git gc -q; echo x >>f",
    "branch-name-of-any-bytes": r"git checkout -q -b $'caf\351'; echo x >x; git add x",
    "no-file-mode": "git config core.fileMode false; chmod +x f; echo g >g; git add g; chmod +x g",
    "many-files": """
        mkdir many; for i in $(seq 300); do echo $i >many/$i; done; git add many; for i in $(seq 300)
        do echo $i$i >many/$i; done""",
    "reflogs-on-everything": "git config core.logAllRefUpdates always; git commit -q --allow-empty -m x; echo y >y",
    "no-index": "rm .git/index",
    "tracked-below-ignored": """
        echo 'o/' >.git/info/exclude; mkdir o; echo 1 >o/t; echo 2 >o/i; git add -f o/t; git commit -qm o
        echo 3 >o/t""",
}

WRECKS = {
    "reset-and-clean": "git reset -q --hard || git reset -q --merge || true; git clean -fdq",
    "committed-over": """
        git add -A 2>/dev/null || true; git commit -qm over || true; echo later >later; git add later
        git commit -qm later""",
    "other-branch": """
        git reset -q --hard || true; git checkout -q -f -B elsewhere 2>/dev/null
        git commit -q --allow-empty -m elsewhere; echo e >e-later""",
    "files-and-index-gone": """
        git rm -rqf --cached . || true; git clean -fdq
        rm -f .git/index .git/MERGE_HEAD .git/MERGE_MSG .git/MERGE_MODE""",
}
