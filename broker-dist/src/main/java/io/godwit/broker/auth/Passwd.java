package io.godwit.broker.auth;

import io.godwit.broker.auth.password.Argon2Hash;
import io.godwit.broker.auth.password.BcryptHash;
import io.godwit.broker.auth.password.Credential;
import io.godwit.broker.auth.password.PasswordFile;
import io.godwit.broker.auth.password.PasswordFileEditor;
import io.godwit.broker.auth.password.ScramCredential;
import io.godwit.broker.release.Release;
import java.io.ByteArrayOutputStream;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;

/**
 * {@code bin/godwit-passwd}: edits the file of users. The exit code is 0 for success, 1 if the file or the user is not
 * as expected, 2 for wrong usage.
 */
@Command(
        name = "godwit-passwd",
        description = "Edits the file of users of a Godwit broker. A running broker notices within two seconds.",
        mixinStandardHelpOptions = true,
        versionProvider = Release.class,
        scope = ScopeType.INHERIT)
public final class Passwd {
    private static final int DONE = 0;
    private static final int FAILED = 1;
    private static final int MAX_PASSWORD_BYTES = 65_535;

    private final InputStream in;
    private final PrintStream out;
    private final PrintStream err;
    /** The terminal to ask for passwords; null to read a line of standard input. */
    private final @Nullable Console terminal;

    private final SecureRandom random = new SecureRandom();

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            defaultValue = "${sys:godwit.passwd.file:-conf/passwd}",
            description = "the file of users (default: conf/passwd of this installation)")
    private Path file = Path.of("conf/passwd");

    Passwd(InputStream in, PrintStream out, PrintStream err, @Nullable Console terminal) {
        this.in = in;
        this.out = out;
        this.err = err;
        this.terminal = terminal;
    }

    public static void main(String[] args) {
        // the script tells whether there is a terminal, since newer JDKs return a Console without one too
        Console terminal = Boolean.getBoolean("godwit.terminal") ? System.console() : null;
        System.exit(new Passwd(System.in, System.out, System.err, terminal).run(args));
    }

    int run(String... args) {
        CommandLine line = new CommandLine(this);
        line.setOut(new java.io.PrintWriter(out, true, StandardCharsets.UTF_8));
        line.setErr(new java.io.PrintWriter(err, true, StandardCharsets.UTF_8));
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            if (failure instanceof IOException || failure instanceof IllegalArgumentException) {
                err.println("godwit-passwd: " + failure.getMessage());
                return FAILED;
            }
            throw failure;
        });
        if (args.length == 0) {
            line.usage(err);
            return CommandLine.ExitCode.USAGE;
        }
        return line.execute(args);
    }

    /** The options for the kind of credential. */
    private static final class Method {
        @Option(
                names = "--scram",
                description = "keep a SCRAM-SHA-256 credential, for logins by SCRAM and by plain password")
        private boolean isScram;

        @Option(names = "--argon2", description = "keep an argon2id hash")
        private boolean isArgon2;

        @Option(names = "--bcrypt", description = "keep a bcrypt hash (what add does by default)")
        private boolean isBcrypt;

        @Option(
                names = "--cost",
                paramLabel = "N",
                description = "keep a bcrypt hash of this cost, 4 to 16 (default: 10)")
        private int bcryptCost;

        /** The kind and at least the cost of {@code old}; the default kind in place of a mosquitto hash. */
        static Method like(Credential old) {
            Method method = new Method();
            if (old instanceof ScramCredential) {
                method.isScram = true;
            } else if (old instanceof Argon2Hash) {
                method.isArgon2 = true;
            } else if (old instanceof BcryptHash bcrypt) {
                method.bcryptCost = Math.max(bcrypt.cost(), BcryptHash.DEFAULT_COST);
            }
            return method;
        }
    }

    private Credential credential(@Nullable Method chosen, byte[] password) {
        Method method = chosen == null ? new Method() : chosen;
        if (method.isScram) {
            return ScramCredential.of(password, ScramCredential.DEFAULT_ITERATIONS, random);
        }
        if (method.isArgon2) {
            return Argon2Hash.of(password, random);
        }
        boolean isDefault = method.isBcrypt || method.bcryptCost == 0;
        return BcryptHash.of(password, isDefault ? BcryptHash.DEFAULT_COST : method.bcryptCost, random);
    }

    @Command(name = "add", description = "Adds a user.")
    int add(
            @ArgGroup @Nullable Method method,
            @Parameters(paramLabel = "USER", description = "a name without ':'") String user)
            throws IOException {
        PasswordFile.checkUser(user);
        try (PasswordFileEditor editor = PasswordFileEditor.openOrCreate(file)) {
            if (editor.content().contains(user)) {
                return failed("the user " + user + " is there already; \"change\" sets another password");
            }
            editor.write(editor.content().with(user, credential(method, readPassword())));
        }
        return done("added " + user);
    }

    @Command(
            name = "change",
            description = "Sets another password, stored in the same format as the old one unless told otherwise.")
    int change(
            @ArgGroup @Nullable Method method,
            @Parameters(paramLabel = "USER", description = "a name that is there") String user)
            throws IOException {
        try (PasswordFileEditor editor = PasswordFileEditor.open(file)) {
            Credential old = editor.content().get(user);
            if (old == null) {
                return failed("there is no user " + user);
            }
            Credential changed = credential(method == null ? Method.like(old) : method, readPassword());
            editor.write(editor.content().with(user, changed));
            return done("changed " + user + ", kept by " + changed.kind()
                    + (changed.kind().equals(old.kind()) ? "" : ", before by " + old.kind()));
        }
    }

    @Command(name = "delete", description = "Deletes a user.")
    int delete(@Parameters(paramLabel = "USER", description = "a name that is there") String user) throws IOException {
        try (PasswordFileEditor editor = PasswordFileEditor.open(file)) {
            if (!editor.content().contains(user)) {
                return failed("there is no user " + user);
            }
            editor.write(editor.content().without(user));
        }
        return done("deleted " + user);
    }

    @Command(name = "list", description = "Lists the users, and how their passwords are kept.")
    int list() throws IOException {
        PasswordFile.read(file).users().forEach((user, credential) -> out.println(user + "\t" + credential.kind()));
        return DONE;
    }

    @Command(
            name = "import",
            description =
                    "Takes over the users of another file, such as one of mosquitto_passwd, with their passwords.")
    int importFile(
            @Option(names = "--replace", description = "also those that are there already; they are kept otherwise")
                    boolean isReplacing,
            @Parameters(paramLabel = "FROM", description = "lines of user:hash") Path from)
            throws IOException {
        Map<String, Credential> more = PasswordFile.read(from).users();
        int taken = 0;
        try (PasswordFileEditor editor = PasswordFileEditor.openOrCreate(file)) {
            PasswordFile edited = editor.content();
            for (Map.Entry<String, Credential> entry : more.entrySet()) {
                if (isReplacing || !edited.contains(entry.getKey())) {
                    edited = edited.with(entry.getKey(), entry.getValue());
                    taken++;
                }
            }
            editor.write(edited);
        }
        return done("imported " + taken + " users, left out " + (more.size() - taken) + " that were there");
    }

    private int done(String what) {
        out.println("godwit-passwd: " + what);
        return DONE;
    }

    private int failed(String why) {
        err.println("godwit-passwd: " + why);
        return FAILED;
    }

    private byte[] readPassword() throws IOException {
        byte[] password = terminal == null ? readLine() : ask(terminal);
        if (password.length == 0) {
            throw new IOException("the password is empty, nothing was changed");
        }
        return password;
    }

    private static byte[] ask(Console terminal) throws IOException {
        char[] first = terminal.readPassword("password: ");
        char[] second = terminal.readPassword("once more: ");
        if (first == null || second == null || !Arrays.equals(first, second)) {
            throw new IOException("these are two different passwords, nothing was changed");
        }
        java.nio.ByteBuffer encoded = StandardCharsets.UTF_8.encode(CharBuffer.wrap(first));
        byte[] password = new byte[encoded.remaining()];
        encoded.get(password);
        return password;
    }

    /** The first line of standard input, without its line end. */
    private byte[] readLine() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0 && b != '\n'; b = in.read()) {
            if (line.size() == MAX_PASSWORD_BYTES) {
                throw new IOException("a password has at most " + MAX_PASSWORD_BYTES + " bytes");
            }
            line.write(b);
        }
        byte[] bytes = line.toByteArray();
        boolean hasReturn = bytes.length > 0 && bytes[bytes.length - 1] == '\r';
        return hasReturn ? Arrays.copyOf(bytes, bytes.length - 1) : bytes;
    }
}
