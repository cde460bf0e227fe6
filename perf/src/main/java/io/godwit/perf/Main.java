package io.godwit.perf;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The load tool {@code bin/perf.sh}. Its exit codes are constants of {@link io.godwit.perf.report.Verdict}. */
@Command(
        name = "perf.sh",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        description = "Puts an MQTT broker under load, by scenarios of published reports or freely, and reports what "
                + "it does.",
        subcommands = {
            RunCommand.class,
            ListScenariosCommand.class,
            SuiteCommand.class,
            PubCommand.class,
            SubCommand.class,
            ConnCommand.class,
            CurvesCommand.class,
            ClusterCommand.class
        },
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {
            "0:nothing was lost, and the stated rate was reached",
            "1:the load could not be run",
            "2:wrong arguments",
            "3:messages were lost, came twice at QoS 2, or connections failed",
            "4:the stated rate was missed",
            "5:some scenarios of a suite were not run"
        })
public final class Main implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    private Main() {}

    /** The version of the jar that contains this class. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Main.class.getPackage().getImplementationVersion();
            return new String[] {"perf.sh of Godwit " + (version == null ? "(unpackaged)" : version)};
        }
    }

    public static void main(String[] args) {
        System.exit(execute(args));
    }

    static int execute(String... args) {
        return line().execute(args);
    }

    /** The commands with their options; it runs nothing by itself. */
    static CommandLine line() {
        CommandLine line = new CommandLine(new Main()).setCaseInsensitiveEnumValuesAllowed(true);
        tellVersion(line);
        return line;
    }

    private static void tellVersion(CommandLine line) {
        line.getSubcommands().values().forEach(command -> {
            command.getCommandSpec().versionProvider(new Version());
            tellVersion(command);
        });
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "what to do? run, list, suite, pub, sub, conn, curves or cluster");
    }
}
