package io.godwit.broker.auth;

import io.godwit.broker.config.SecretFileEditor;
import java.io.IOException;
import java.nio.file.Path;

/** Holds a password file for one edit; see {@link SecretFileEditor}. Blocks. */
final class PasswordFileEditor implements AutoCloseable {
    private final SecretFileEditor editor;
    private final PasswordFile content;

    /** Takes over {@code editor}, also when it fails. */
    private PasswordFileEditor(Path file, SecretFileEditor editor) throws IOException {
        this.editor = editor;
        try {
            content = PasswordFile.parse(file, editor.content().lines().toList());
        } catch (IOException | RuntimeException e) {
            editor.close();
            throw e;
        }
    }

    /** Begins with an empty file when there is none; it goes again if nothing is written. */
    static PasswordFileEditor openOrCreate(Path file) throws IOException {
        return new PasswordFileEditor(file, SecretFileEditor.openOrCreate(file));
    }

    /** Fails when there is no such file or a line of it is wrong. */
    static PasswordFileEditor open(Path file) throws IOException {
        return new PasswordFileEditor(file, SecretFileEditor.open(file));
    }

    PasswordFile content() {
        return content;
    }

    void write(PasswordFile edited) throws IOException {
        editor.write(edited.text());
    }

    @Override
    public void close() throws IOException {
        editor.close();
    }
}
