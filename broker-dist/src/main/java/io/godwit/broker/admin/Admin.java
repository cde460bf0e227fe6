package io.godwit.broker.admin;

import io.godwit.broker.admin.api.ApiCommands;
import io.godwit.broker.admin.api.base.ApiOptions;
import io.godwit.broker.admin.command.BackupCommand;
import io.godwit.broker.admin.command.BalancersCommand;
import io.godwit.broker.admin.command.CompletionCommand;
import io.godwit.broker.admin.command.DrainCommand;
import io.godwit.broker.admin.command.ForgetCommand;
import io.godwit.broker.admin.command.ImportCommand;
import io.godwit.broker.admin.command.MembersCommand;
import io.godwit.broker.admin.command.MergeCommand;
import io.godwit.broker.admin.command.MoveCommand;
import io.godwit.broker.admin.command.NodeInvocation;
import io.godwit.broker.admin.command.RangesCommand;
import io.godwit.broker.admin.command.RecoverCommand;
import io.godwit.broker.admin.command.ReplicasCommand;
import io.godwit.broker.admin.command.RestoreCommand;
import io.godwit.broker.admin.command.SplitCommand;
import io.godwit.broker.admin.command.TokenCommand;
import io.godwit.broker.admin.command.TransferCommand;
import io.godwit.broker.admin.http.ApiClient;
import io.godwit.broker.admin.kubernetes.KubernetesCommand;
import io.godwit.broker.admin.rpc.AdminClient;
import io.godwit.broker.admin.rpc.AdminMethods;
import io.godwit.broker.admin.terminal.AdminException;
import io.godwit.broker.admin.terminal.AdminException.Kind;
import io.godwit.broker.admin.terminal.Screen;
import io.godwit.broker.release.Release;
import io.godwit.cluster.config.ClusterConfig;
import io.godwit.cluster.config.HostPort;
import io.godwit.cluster.rpc.LocalAccess;
import io.godwit.cluster.rpc.RpcConnection;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/**
 * {@code bin/godwit-admin}: inspects and changes a cluster through one of its nodes. {@link Kind} has the exit codes.
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
            "6 no such store, range, node, client or message, 7 a damaged backup, 8 done, but not all of it."
        })
public final class Admin implements NodeInvocation {
    /** The file in a data directory with the RPC address of the broker that runs on it. */
    public static final String ACCESS_FILE = "godwit.rpc";

    /** The commands besides those of the API. */
    private static final List<String> COMMANDS = List.of(
            "backup",
            "balancers",
            "completion",
            "drain",
            "forget",
            "kubernetes",
            "members",
            "merge",
            "move",
            "ranges",
            "recover",
            "replicas",
            "restore",
            "split",
            "token",
            "transfer");

    private final PrintStream out;
    private final PrintStream err;
    private final Screen screen;
    private final Map<String, String> environment;

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

    @Mixin
    private final ApiOptions api = new ApiOptions();

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
        this(out, err, Screen.NONE, Map.of());
    }

    Admin(PrintStream out, PrintStream err, Screen screen, Map<String, String> environment) {
        this.out = out;
        this.err = err;
        this.screen = screen;
        this.environment = environment;
    }

    public static void main(String[] args) {
        // characters that the locale lacks would be lost
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        int code = new Admin(out, err, Screen.of(System.getProperties(), System.getenv()), System.getenv()).run(args);
        out.flush();
        System.exit(out.checkError() ? Kind.FAILED.exitCode() : code);
    }

    private Object command(String name) {
        return switch (name) {
            case "backup" -> new BackupCommand(this);
            case "balancers" -> new BalancersCommand(this);
            case "completion" -> new CompletionCommand();
            case "drain" -> new DrainCommand(this);
            case "forget" -> new ForgetCommand(this);
            case "kubernetes" -> new KubernetesCommand(this);
            case "members" -> new MembersCommand(this);
            case "merge" -> new MergeCommand(this);
            case "move" -> new MoveCommand(this);
            case "ranges" -> new RangesCommand(this);
            case "recover" -> new RecoverCommand(this);
            case "replicas" -> new ReplicasCommand(this);
            case "restore" -> new RestoreCommand(this);
            case "split" -> new SplitCommand(this);
            case "token" -> new TokenCommand(this);
            case "transfer" -> new TransferCommand(this);
            default -> ApiCommands.make(name, this);
        };
    }

    /**
     * The command line with the commands named among the words, or with all if there are none: creating commands takes
     * time while the user waits.
     */
    CommandLine line(List<String> words) {
        List<String> names = new ArrayList<>(COMMANDS);
        names.addAll(ApiCommands.NAMES);
        boolean isNamed = !words.contains("completion") && names.stream().anyMatch(words::contains);
        CommandLine line = new CommandLine(this);
        for (String name : names) {
            if (!isNamed || words.contains(name)) {
                line.addSubcommand(name, command(name));
            }
        }
        CommandLine config = line.getSubcommands().get("config");
        if (config != null) {
            config.addSubcommand("import", new ImportCommand(this));
        }
        return line;
    }

    int run(String... args) {
        CommandLine line = line(List.of(args));
        line.setOut(new PrintWriter(out, true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(err, true, StandardCharsets.UTF_8));
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            if (failure instanceof AdminException known) {
                out.flush();
                err.println("godwit-admin: " + known.getMessage());
                return known.kind().exitCode();
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

    @Override
    public AdminClient connect() throws AdminException {
        if (api.isGiven()) {
            throw new AdminException(
                    Kind.USAGE, "this command uses RPC: give --data or --rpc, not --url and its options");
        }
        HostPort address = rpc;
        try {
            if (address != null) {
                return new AdminClient(RpcConnection.to(address, tls()), "the node at " + address, timeout());
            }
            LocalAccess access = LocalAccess.read(data.resolve(ACCESS_FILE));
            return new AdminClient(
                    RpcConnection.local(access), "the broker of " + data + " (" + access.address() + ")", timeout());
        } catch (NoSuchFileException e) {
            throw new AdminException(
                    Kind.UNREACHABLE,
                    Files.isDirectory(data) ? "no broker runs on " + data : "there is no data directory " + data,
                    e);
        } catch (AccessDeniedException e) {
            throw new AdminException(
                    Kind.UNREACHABLE,
                    e.getMessage() + " can be read by the broker's user only: run this as that user",
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

    @Override
    public PrintStream out() {
        return out;
    }

    @Override
    public PrintStream err() {
        return err;
    }

    @Override
    public Screen screen() {
        return screen;
    }

    @Override
    public boolean isJson() {
        return isJson;
    }

    @Override
    public Path data() {
        return data;
    }

    @Override
    public Duration timeout() {
        return Duration.ofSeconds(Math.max(1, timeoutSeconds));
    }

    @Override
    public ApiClient connectApi() throws AdminException {
        return api.connect(this);
    }

    @Override
    public boolean isRpc() {
        return rpc != null || certificate != null || key != null || authority != null;
    }

    @Override
    public String variable(String name) {
        return environment.getOrDefault(name, "");
    }

    @Override
    public void progress(String line) {
        (isJson ? err : out).println("godwit-admin: " + line);
    }

    @Override
    public void printJson(Object message) {
        out.println(AdminMethods.print(message));
    }
}
