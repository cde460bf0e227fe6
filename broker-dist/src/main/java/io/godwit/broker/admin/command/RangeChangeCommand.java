package io.godwit.broker.admin.command;

import io.godwit.broker.admin.rpc.Messages;
import picocli.CommandLine.Parameters;

/** A command that changes one range, with the epoch that the range has when it is looked up. */
abstract class RangeChangeCommand extends NodeCommand {
    @Parameters(index = "0", paramLabel = "STORE", description = "inbox, dist or retain")
    private String store = "";

    @Parameters(index = "1", paramLabel = "RANGE", description = "the range's number, as \"ranges\" lists it")
    private long rangeId;

    RangeChangeCommand(NodeInvocation admin) {
        super(admin);
    }

    String store() {
        return store;
    }

    long rangeId() {
        return rangeId;
    }

    void told(Messages.Result result, String done) {
        answer(result, () -> admin().progress(done));
    }
}
