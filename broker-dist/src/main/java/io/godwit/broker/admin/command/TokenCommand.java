package io.godwit.broker.admin.command;

import io.godwit.api.auth.Role;
import io.godwit.api.auth.TokenFile;
import io.godwit.api.auth.TokenFile.Entry;
import io.godwit.api.auth.TokenFile.Proof;
import io.godwit.api.auth.TokenText;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.Table;
import io.godwit.broker.config.SecretFileEditor;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * Edits the file of tokens of the HTTP API, without a node. The file contains only hashes; a new token is printed once.
 */
@Command(
        name = "token",
        description = {
            "Says who may use the HTTP API: edits the file that apiServerConfig.tokensFile names.",
            "A running broker notices within two seconds."
        })
public final class TokenCommand implements Runnable {
    private final NodeInvocation admin;

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            defaultValue = "${sys:godwit.tokens.file:-conf/tokens}",
            description = "the file of tokens (default: conf/tokens of this installation)")
    private Path file = Path.of("conf/tokens");

    @Spec
    private @Nullable CommandSpec spec;

    public TokenCommand(NodeInvocation admin) {
        this.admin = admin;
    }

    /** Called when there is no subcommand. */
    @Override
    public void run() {
        throw new ParameterException(Objects.requireNonNull(spec).commandLine(), "say what to do: add, list or remove");
    }

    /** An entry for printing, without its hash. */
    private record Line(String name, String role, String tenant, String kind, String subject) {
        static Line of(Entry entry) {
            boolean isToken = entry.proof() == Proof.SHA256;
            return new Line(
                    entry.name(),
                    entry.role().spelled(),
                    entry.tenant(),
                    isToken ? "token" : "certificate",
                    isToken ? "" : entry.value());
        }
    }

    /** @param token empty for a certificate */
    private record Added(String name, String token) {}

    private record Lines(List<Line> tokens) {}

    @Command(name = "add", description = "Makes a token and prints it, once; or admits a certificate.")
    int add(
            @Parameters(paramLabel = "NAME", description = "1 to 64 letters, digits, dots, hyphens, underscores")
                    String name,
            @Option(
                            names = "--role",
                            required = true,
                            paramLabel = "ROLE",
                            description =
                                    "viewer looks; operator also disconnects clients, ends sessions, empties queues, "
                                            + "publishes, clears retained messages; admin may do everything")
                    Role role,
            @Option(
                            names = "--tenant",
                            paramLabel = "TENANT",
                            defaultValue = "",
                            description = "bind it to this tenant (default: all tenants and the cluster)")
                    String tenant,
            @Option(
                            names = "--subject",
                            paramLabel = "SUBJECT",
                            description = "no token but a client certificate with this subject, such as CN=ops,O=birds")
                    @Nullable
                    String subject)
            throws AdminException {
        String token = subject == null ? TokenText.make(new SecureRandom()) : "";
        try (SecretFileEditor editor = SecretFileEditor.openOrCreate(file)) {
            Entry entry = subject == null
                    ? Entry.ofToken(name, role, tenant, token)
                    : new Entry(name, role, tenant, Proof.SUBJECT, subject);
            editor.write(TokenFile.parse(editor.content()).with(entry).text());
        } catch (IOException e) {
            throw failed(e);
        } catch (IllegalArgumentException e) {
            throw new AdminException(Kind.REFUSED, file + ": " + e.getMessage(), e);
        }
        if (admin.isJson()) {
            admin.printJson(new Added(name, token));
        } else {
            admin.progress("added " + name + " to " + file);
            if (!token.isEmpty()) {
                admin.progress("its token, which is stored nowhere and shown this once:");
                admin.out().println(token);
            }
        }
        return 0;
    }

    @Command(name = "list", description = "Lists tokens and certificates, and what each may do.")
    int list() throws AdminException {
        List<Line> lines;
        try {
            lines = TokenFile.read(file).entries().stream().map(Line::of).toList();
        } catch (IOException e) {
            throw failed(e);
        }
        if (admin.isJson()) {
            admin.printJson(new Lines(lines));
            return 0;
        }
        Table table = new Table("NAME", "ROLE", "TENANT", "KIND", "SUBJECT");
        lines.forEach(line -> table.add(line.name(), line.role(), line.tenant(), line.kind(), line.subject()));
        table.print(admin.out());
        return 0;
    }

    @Command(name = "remove", description = "Takes a token or certificate back.")
    int remove(@Parameters(paramLabel = "NAME", description = "a name that is there") String name)
            throws AdminException {
        try (SecretFileEditor editor = SecretFileEditor.open(file)) {
            TokenFile edited = TokenFile.parse(editor.content())
                    .without(name)
                    .orElseThrow(() -> new AdminException(Kind.UNKNOWN, file + " has no " + name));
            editor.write(edited.text());
        } catch (IOException e) {
            throw failed(e);
        } catch (IllegalArgumentException e) {
            throw new AdminException(Kind.DAMAGED, file + ": " + e.getMessage(), e);
        }
        admin.progress("removed " + name);
        return 0;
    }

    private static AdminException failed(IOException failure) {
        return new AdminException(Kind.FAILED, String.valueOf(failure.getMessage()), failure);
    }
}
