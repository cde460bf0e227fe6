package io.godwit.broker.auth.password;

import io.godwit.broker.config.SecretFileEditor;
import java.io.IOException;
import java.nio.file.Path;

/** Holds a password file for one edit; see {@link SecretFileEditor}. Blocks. */
public final class PasswordFileEditor implements AutoCloseable {
    private final SecretFileEditor editor;
    private final PasswordFile content;

    /** Owns {@code editor}, and closes it even if this constructor fails. */
    private PasswordFileEditor(Path file, SecretFileEditor editor) throws IOException {
        this.editor = editor;
        try {
            content = PasswordFile.parse(file, editor.content().lines().toList());
        } catch (IOException | RuntimeException e) {
            editor.close();
            throw e;
        }
    }

    /** Begins with an empty file if there is none; that file is removed if nothing is written. */
    public static PasswordFileEditor openOrCreate(Path file) throws IOException {
        return new PasswordFileEditor(file, SecretFileEditor.openOrCreate(file));
    }

    /** Fails if there is no such file or a line is wrong. */
    public static PasswordFileEditor open(Path file) throws IOException {
        return new PasswordFileEditor(file, SecretFileEditor.open(file));
    }

    public PasswordFile content() {
        return content;
    }

    public void write(PasswordFile edited) throws IOException {
        editor.write(edited.text());
    }

    @Override
    public void close() throws IOException {
        editor.close();
    }
}
