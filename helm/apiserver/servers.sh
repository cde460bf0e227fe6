# Starts the servers of Kubernetes. check-apiserver.sh reads this file. It runs in namespaces of its own, so the ports
# are free, nobody else reaches them, and all processes end with the script.
#   $bin    the programs
#   $work   where keys, data and logs go
servers=()

# What a pod reaches them by. The addresses are of a bridge, which the pods of brokers are connected to.
readonly kubernetes_address=10.96.0.1 dns_address=10.96.0.10 bridge_address=10.244.0.1

start_network() {
  ip link set lo up
  ip link add name pods type bridge
  ip address add "$bridge_address/16" dev pods
  ip address add "$kubernetes_address/32" dev pods
  ip address add "$dns_address/32" dev pods
  ip link set pods up
}

# certificate NAME SUBJECT [ALTERNATIVE_NAMES]: a key and a certificate of the authority, $work/pki/NAME.key and .crt.
certificate() {
  local pki=$work/pki
  openssl ecparam -genkey -name prime256v1 -noout -out "$pki/$1.key"
  openssl req -new -key "$pki/$1.key" -subj "$2" -out "$pki/$1.csr"
  printf 'extendedKeyUsage=serverAuth,clientAuth\n%s\n' "${3:+subjectAltName=$3}" >"$pki/$1.ext"
  openssl x509 -req -in "$pki/$1.csr" -CA "$pki/ca.crt" -CAkey "$pki/ca.key" -CAcreateserial -days 2 \
    -extfile "$pki/$1.ext" -out "$pki/$1.crt" 2>/dev/null
}

# A configuration for clients, $work/NAME.conf, with the certificate NAME.
client_configuration() {
  cat >"$work/$1.conf" <<YAML
apiVersion: v1
kind: Config
clusters: [{name: check, cluster: {server: "https://$kubernetes_address", certificate-authority: "$work/pki/ca.crt"}}]
users: [{name: me, user: {client-certificate: "$work/pki/$1.crt", client-key: "$work/pki/$1.key"}}]
contexts: [{name: check, context: {cluster: check, user: me}}]
current-context: check
YAML
}

make_keys() {
  local pki=$work/pki
  mkdir -p "$pki"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout "$pki/ca.key" -out "$pki/ca.crt" \
    -days 2 -subj /CN=check-authority 2>/dev/null
  certificate server /CN=kube-apiserver \
    "IP:$kubernetes_address,IP:$bridge_address,IP:127.0.0.1,DNS:kubernetes.default.svc,DNS:localhost"
  certificate admin /O=system:masters/CN=admin
  certificate controllers /CN=system:kube-controller-manager
  certificate scheduler /CN=system:kube-scheduler
  for each in admin controllers scheduler; do client_configuration "$each"; done
  openssl genrsa -out "$pki/accounts.key" 2048 2>/dev/null
  openssl rsa -in "$pki/accounts.key" -pubout -out "$pki/accounts.pub" 2>/dev/null
}

# run NAME PROGRAM ARGUMENT...: in the background, with a log in $work/NAME.log.
run() {
  local name=$1
  shift
  "$@" >"$work/$name.log" 2>&1 </dev/null &
  servers+=($!)
  disown
}

# answers WHAT COMMAND...: waits until the command succeeds.
answers() {
  local what=$1 since=$SECONDS
  shift
  until "$@" >/dev/null 2>&1; do
    if [ $((SECONDS - since)) -gt 120 ]; then
      echo "check: $what does not start" >&2
      tail -n 5 "$work"/*.log >&2
      exit 1
    fi
    sleep 0.3
  done
}

api() {
  curl --silent --fail --cacert "$work/pki/ca.crt" --cert "$work/pki/admin.crt" --key "$work/pki/admin.key" \
    "https://$kubernetes_address$1"
}

start_servers() {
  start_network
  make_keys
  run etcd "$bin/etcd" --data-dir "$work/etcd" --unsafe-no-fsync --listen-client-urls http://127.0.0.1:2379 \
    --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380
  answers etcd curl --silent --fail http://127.0.0.1:2379/health
  run apiserver "$bin/kube-apiserver" --etcd-servers http://127.0.0.1:2379 --bind-address 0.0.0.0 --secure-port 443 \
    --advertise-address "$bridge_address" --service-cluster-ip-range 10.96.0.0/16 --authorization-mode Node,RBAC \
    --tls-cert-file "$work/pki/server.crt" --tls-private-key-file "$work/pki/server.key" \
    --client-ca-file "$work/pki/ca.crt" --service-account-issuer https://kubernetes.default.svc.cluster.local \
    --service-account-key-file "$work/pki/accounts.pub" --service-account-signing-key-file "$work/pki/accounts.key"
  answers kube-apiserver api /readyz
  run controllers "$bin/kube-controller-manager" --kubeconfig "$work/controllers.conf" --leader-elect=false \
    --bind-address 127.0.0.1 --use-service-account-credentials \
    --service-account-private-key-file "$work/pki/accounts.key" --root-ca-file "$work/pki/ca.crt"
  run scheduler "$bin/kube-scheduler" --kubeconfig "$work/scheduler.conf" --leader-elect=false --bind-address 127.0.0.1
  # Plays the kubelet on the nodes that are annotated as fake: says that pods are ready, without starting anything.
  run kwok "$bin/kwok" --kubeconfig "$work/admin.conf" --config apiserver/kwok.yaml --cidr 10.200.0.0/16 \
    --manage-all-nodes=false --manage-nodes-with-annotation-selector kwok.x-k8s.io/node=fake \
    --server-address 127.0.0.1:10247 --node-ip 10.201.0.1 --node-lease-duration-seconds 40
  cat >"$work/Corefile" <<COREFILE
.:53 {
  errors
  kubernetes cluster.local {
    kubeconfig $work/admin.conf
    ttl 1
  }
}
COREFILE
  run dns "$bin/coredns" -conf "$work/Corefile"
  answers "the account of the default namespace" api /api/v1/namespaces/default/serviceaccounts/default
}
