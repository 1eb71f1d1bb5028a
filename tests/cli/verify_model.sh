for version in "$SOURCE"/tests/golden/version-*.model; do
    foretrace verify "$version" | sed 's|^.*/||; /^model /d'
done
cp "$SOURCE/tests/golden/version-11.model" model
foretrace verify --json model
head -c 20000 model >cut
foretrace verify cut 2>&1 | sed 's/; /;\n/'
echo "exit status ${PIPESTATUS[0]}"
cp model changed
printf 'changed' | dd of=changed bs=1 seek=50000 conv=notrunc status=none
foretrace verify changed 2>&1 | sed 's/; /;\n/'
echo "exit status ${PIPESTATUS[0]}"
foretrace verify --thorough model 2>&1 | sed 's/; /;\n/; q'
