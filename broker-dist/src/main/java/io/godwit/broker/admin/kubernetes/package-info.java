/**
 * The calls of the Kubernetes API server by pods of {@code helm/godwit}.
 *
 * <pre>
 * KubernetesCommand  the command, with a subcommand for each call
 * KubernetesApi      calls with the service account of the pod
 * </pre>
 */
@NullMarked
package io.godwit.broker.admin.kubernetes;

import org.jspecify.annotations.NullMarked;
