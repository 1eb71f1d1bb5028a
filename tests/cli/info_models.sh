# A model of every version of the format.
cd "$SOURCE/tests/golden" || exit 1
for model in version-*.model; do
    foretrace info "$model" && foretrace info --json "$model"
done
