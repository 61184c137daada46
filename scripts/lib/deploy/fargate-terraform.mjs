import { containerPorts, serverEnvironment } from "./server-container.mjs";

/**
 * Returns a Terraform configuration, in its JSON syntax, with the tables, the permissions and one server on Fargate.
 * @param {Record<string, object>} tables resources by name
 * @param {readonly string[]} actions that the server may use on them
 */
export function fargateTerraform(tables, actions) {
  return {
    terraform: { required_providers: { aws: { source: "hashicorp/aws", version: ">= 5.0" } } },
    variable: variables,
    data: { aws_region: { current: {} } },
    resource: {
      aws_dynamodb_table: Object.fromEntries(
        Object.entries(tables).map(([name, table]) => [
          name,
          { ...table, lifecycle: { prevent_destroy: true } },
        ]),
      ),
      ...roles(Object.keys(tables), actions),
      ...service(),
    },
    output: {
      cluster: { value: "${aws_ecs_cluster.tablekeep.name}" },
      service: { value: "${aws_ecs_service.tablekeep.name}" },
    },
  };
}

const variables = {
  image: { type: "string", description: "The image, built from deploy/docker/Dockerfile, in a registry." },
  users_secret_arn: {
    type: "string",
    description: "ARN of a secret with the users: lines of name:hash, as tablekeep auth hash prints it.",
  },
  vpc_id: { type: "string", description: "Network of the server." },
  subnet_ids: {
    type: "list(string)",
    description: "Private subnets, with a route to DynamoDB, the registry and Secrets Manager.",
  },
  allowed_cidr: {
    type: "string",
    default: "10.0.0.0/8",
    description: "Addresses that may connect. Put a load balancer with TLS in front of others.",
  },
};

function roles(tables, actions) {
  const assume = JSON.stringify({
    Version: "2012-10-17",
    Statement: [
      { Effect: "Allow", Principal: { Service: "ecs-tasks.amazonaws.com" }, Action: "sts:AssumeRole" },
    ],
  });
  const policy = (action, resource) =>
    JSON.stringify({
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Action: action, Resource: resource }],
    });
  const resources = tables.flatMap((table) => {
    const arn = `\${aws_dynamodb_table.${table}.arn}`;
    return [arn, `${arn}/index/*`];
  });
  return {
    aws_iam_role: {
      task: { name_prefix: "tablekeep-task-", assume_role_policy: assume },
      execution: { name_prefix: "tablekeep-start-", assume_role_policy: assume },
    },
    aws_iam_role_policy: {
      tables: { name: "tables", role: "${aws_iam_role.task.id}", policy: policy(actions, resources) },
      users: {
        name: "users",
        role: "${aws_iam_role.execution.id}",
        policy: policy("secretsmanager:GetSecretValue", "${var.users_secret_arn}"),
      },
    },
    aws_iam_role_policy_attachment: {
      execution: {
        role: "${aws_iam_role.execution.name}",
        policy_arn: "arn:aws:iam::aws:policy/service-role/AmazonECSTaskExecutionRolePolicy",
      },
    },
  };
}

function service() {
  const anywhere = {
    cidr_blocks: ["0.0.0.0/0"],
    from_port: 0,
    to_port: 0,
    protocol: "-1",
    description: "AWS and relays",
  };
  return {
    aws_cloudwatch_log_group: { tablekeep: { name_prefix: "tablekeep-", retention_in_days: 30 } },
    aws_ecs_cluster: { tablekeep: { name: "tablekeep" } },
    aws_security_group: {
      tablekeep: {
        name_prefix: "tablekeep-",
        description: "Listeners of Tablekeep",
        vpc_id: "${var.vpc_id}",
        ingress: containerPorts.map(({ port, purpose }) =>
          rule({
            cidr_blocks: ["${var.allowed_cidr}"],
            from_port: port,
            to_port: port,
            protocol: "tcp",
            description: purpose,
          }),
        ),
        egress: [rule(anywhere)],
      },
    },
    aws_ecs_task_definition: {
      tablekeep: {
        family: "tablekeep",
        requires_compatibilities: ["FARGATE"],
        network_mode: "awsvpc",
        cpu: "512",
        memory: "1024",
        task_role_arn: "${aws_iam_role.task.arn}",
        execution_role_arn: "${aws_iam_role.execution.arn}",
        container_definitions: JSON.stringify([container()]),
      },
    },
    aws_ecs_service: {
      tablekeep: {
        name: "tablekeep",
        cluster: "${aws_ecs_cluster.tablekeep.id}",
        task_definition: "${aws_ecs_task_definition.tablekeep.arn}",
        desired_count: 1,
        launch_type: "FARGATE",
        network_configuration: {
          subnets: "${var.subnet_ids}",
          security_groups: ["${aws_security_group.tablekeep.id}"],
        },
      },
    },
  };
}

/** In JSON, rules of a security group must have all of their attributes. */
function rule(values) {
  return { ipv6_cidr_blocks: [], prefix_list_ids: [], security_groups: [], self: false, ...values };
}

function container() {
  return {
    name: "tablekeep",
    image: "${var.image}",
    essential: true,
    portMappings: containerPorts.map(({ port }) => ({ containerPort: port })),
    environment: [
      { name: "TABLEKEEP_REGION", value: "${data.aws_region.current.name}" },
      ...Object.entries(serverEnvironment).map(([name, value]) => ({ name, value })),
    ],
    secrets: [{ name: "TABLEKEEP_USERS", valueFrom: "${var.users_secret_arn}" }],
    healthCheck: {
      command: ["CMD", "/usr/bin/node", "/app/health.mjs"],
      interval: 10,
      timeout: 5,
      startPeriod: 20,
    },
    logConfiguration: {
      logDriver: "awslogs",
      options: {
        "awslogs-group": "${aws_cloudwatch_log_group.tablekeep.name}",
        "awslogs-region": "${data.aws_region.current.name}",
        "awslogs-stream-prefix": "tablekeep",
      },
    },
  };
}
