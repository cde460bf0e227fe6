package io.godwit.api.route;

import io.godwit.api.http.Problem;
import io.godwit.api.http.ProblemException;
import io.godwit.api.port.ClusterAnswer;

/** Answers that something does not exist. */
public final class Absence {
    private Absence() {}

    /** While nodes are missing, it is not known whether it exists. */
    public static ProblemException of(ClusterAnswer<?> answer, String detail) {
        return new ProblemException(
                answer.missingNodes().isEmpty()
                        ? Problem.notFound(detail)
                        : Problem.nodesMissing(
                                detail + " on the nodes that answered; others did not", answer.missingNodes()));
    }
}
