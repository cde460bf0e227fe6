package io.godwit.perf;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code perf.sh cluster}: puts loads on brokers that this tool starts as one cluster and stops afterwards. */
@Command(
        name = "cluster",
        mixinStandardHelpOptions = true,
        description = "Starts brokers of this Godwit distribution as one cluster on the loopback address, puts them "
                + "under load and ends them.",
        subcommands = {ClusterRunCommand.class, ClusterPublishedCommand.class, ClusterRowsCommand.class})
final class ClusterCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "what to do? cluster run, published or rows");
    }
}
