package io.godwit.broker.admin;

import io.godwit.broker.admin.AdminException.Kind;
import io.godwit.broker.release.Release;
import io.godwit.cluster.ClusterConfig;
import io.godwit.cluster.HostPort;
import io.godwit.cluster.LocalAccess;
import io.godwit.cluster.RpcConnection;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/**
 * {@code bin/godwit-admin}: looks at a cluster and changes it, through one of its nodes. Exit codes are those of
 * {@link Kind}.
 */
@Command(
        name = "godwit-admin",
        description = "Looks at a Godwit broker or cluster, and changes it, through one node.",
        mixinStandardHelpOptions = true,
        versionProvider = Release.class,
        scope = ScopeType.INHERIT,
        footer = {
            "",
            "A node is named by the first letters of its store id, or by its RPC address.",
            "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 not reachable, 4 refused, 5 the range has changed "
                    + "meanwhile,",
            "6 no such store, range, node or balancer, 7 a damaged backup."
        })
public final class Admin {
    /** In a data directory: where the broker that runs on it is reached. */
    public static final String ACCESS_FILE = "godwit.rpc";

    private final PrintStream out;
    private final PrintStream err;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            scope = ScopeType.INHERIT,
            defaultValue = "${sys:godwit.data:-data}",
            description =
                    "the data directory of a broker that runs on this machine (default: data of this installation)")
    private Path data = Path.of("data");

    @Option(
            names = "--rpc",
            paramLabel = "HOST:PORT",
            scope = ScopeType.INHERIT,
            converter = Address.class,
            description = "the RPC address of a node of a cluster, in place of --data")
    private @Nullable HostPort rpc;

    @Option(
            names = "--tls-cert",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "with --rpc: a certificate of the cluster's authority (PEM)")
    private @Nullable Path certificate;

    @Option(
            names = "--tls-key",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "its private key (PEM, PKCS #8)")
    private @Nullable Path key;

    @Option(
            names = "--tls-ca",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "the authority's certificates (PEM)")
    private @Nullable Path authority;

    @Option(
            names = "--tls-name",
            paramLabel = "NAME",
            scope = ScopeType.INHERIT,
            defaultValue = "",
            description = "the DNS name that nodes' certificates must have (clusterConfig.tls.requiredName)")
    private String requiredName = "";

    @Option(names = "--json", scope = ScopeType.INHERIT, description = "print JSON, for programs")
    private boolean isJson;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            scope = ScopeType.INHERIT,
            defaultValue = "30",
            description = "how long to wait for an answer (default: 30)")
    private int timeoutSeconds = 30;

    Admin(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    public static void main(String[] args) {
        System.exit(new Admin(System.out, System.err).run(args));
    }

    int run(String... args) {
        CommandLine line = new CommandLine(this);
        line.addSubcommand(new MembersCommand(this));
        line.addSubcommand(new RangesCommand(this));
        line.addSubcommand(new SplitCommand(this));
        line.addSubcommand(new MergeCommand(this));
        line.addSubcommand(new MoveCommand(this));
        line.addSubcommand(new TransferCommand(this));
        line.addSubcommand(new DrainCommand(this));
        line.addSubcommand(new ReplicasCommand(this));
        line.addSubcommand(new ForgetCommand(this));
        line.addSubcommand(new ReplaceCommand(this));
        line.addSubcommand(new RecoverCommand(this));
        line.addSubcommand(new BalancersCommand(this));
        line.addSubcommand(new BackupCommand(this));
        line.addSubcommand(new RestoreCommand(this));
        line.addSubcommand(new TokenCommand(this));
        line.setOut(new PrintWriter(out, true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(err, true, StandardCharsets.UTF_8));
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            if (failure instanceof AdminException known) {
                err.println("godwit-admin: " + known.getMessage());
                return known.kind().exitCode;
            }
            throw failure;
        });
        if (args.length == 0) {
            line.usage(err);
            return CommandLine.ExitCode.USAGE;
        }
        return line.execute(args);
    }

    /** Reads {@code host:port}. */
    static final class Address implements ITypeConverter<HostPort> {
        @Override
        public HostPort convert(String text) {
            try {
                return HostPort.parse(text);
            } catch (IllegalArgumentException e) {
                throw new CommandLine.TypeConversionException(e.getMessage());
            }
        }
    }

    /** To the node that the options name. */
    AdminClient connect() throws AdminException {
        HostPort address = rpc;
        Duration timeout = Duration.ofSeconds(Math.max(1, timeoutSeconds));
        try {
            if (address != null) {
                return new AdminClient(RpcConnection.to(address, tls()), "the node at " + address, timeout);
            }
            LocalAccess access = LocalAccess.read(data.resolve(ACCESS_FILE));
            return new AdminClient(
                    RpcConnection.local(access), "the broker of " + data + " (" + access.address() + ")", timeout);
        } catch (NoSuchFileException e) {
            throw new AdminException(
                    Kind.UNREACHABLE,
                    Files.isDirectory(data) ? "no broker runs on " + data : "there is no data directory " + data,
                    e);
        } catch (AccessDeniedException e) {
            throw new AdminException(
                    Kind.UNREACHABLE,
                    e.getMessage() + " may be read by the broker's user only: run this as that one",
                    e);
        } catch (IOException e) {
            throw new AdminException(Kind.UNREACHABLE, String.valueOf(e.getMessage()), e);
        }
    }

    private ClusterConfig.@Nullable TlsFiles tls() throws AdminException {
        Path ours = certificate;
        Path secret = key;
        Path trusted = authority;
        if (ours == null && secret == null && trusted == null) {
            return null;
        }
        if (ours == null || secret == null || trusted == null) {
            throw new AdminException(Kind.REFUSED, "TLS needs all three: --tls-cert, --tls-key and --tls-ca");
        }
        return new ClusterConfig.TlsFiles(ours, secret, trusted, requiredName);
    }

    PrintStream out() {
        return out;
    }

    boolean isJson() {
        return isJson;
    }

    /** What people are told while something goes on; on standard error, since JSON goes to the other. */
    void progress(String line) {
        (isJson ? err : out).println("godwit-admin: " + line);
    }

    void printJson(Object message) {
        out.println(AdminMethods.print(message));
    }
}
